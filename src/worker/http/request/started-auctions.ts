import { openDatabase } from '../../../base/database/open.ts';
import { type Auction, listStartedAuctions } from '../../../name/auction/read.ts';
import type { AppContext } from './context.ts';
import { Recent } from './recent.ts';
import { throttlePublic } from './throttle.ts';

const started = new Recent<D1Database, string>();

/**
 * The auctions in progress as JSON, from memory for at most five seconds, so that nobody can have the whole table read
 * again and again. It never lacks what this isolate has written. Reading it, two rows each, counts as another request.
 */
export async function startedJson(c: AppContext): Promise<string> {
  const { DB } = c.env;
  const known = started.find(c, DB);
  if (known) return known;
  await throttlePublic(c);
  return started.get(c, DB, () => read(c));
}

/** Reads the primary, because a replica may lack what was written. */
async function read(c: AppContext): Promise<string> {
  const auctions = await listStartedAuctions(openDatabase(c.env.DB, c.var.meter));
  return JSON.stringify(auctions.map(shownAuction));
}

/** Forgets the list, even while it is being read: call it after every attempt to write. */
export function forgetStarted(db: D1Database): void {
  started.forget(db);
}

/** The field `platform` is present only if the auction has one, for clients that do not know it. */
export function shownAuction({
  uuid,
  name,
  status,
  platform,
}: Pick<Auction, 'uuid' | 'name' | 'status' | 'platform'>) {
  return { id: uuid, domain: name, status, ...(platform !== null && { platform }) };
}
