import { type Auction, listStartedAuctions } from '../../auction/read.ts';
import { openDatabase } from '../../database/open.ts';
import type { AppContext } from '../context.ts';
import { Recent } from '../recent.ts';
import { throttlePublic } from '../throttle.ts';

/** The auctions in progress, as JSON, by database. */
const started = new Recent<D1Database, string>();

/**
 * The auctions in progress, as JSON: from memory for at most five seconds, so that nobody can have the whole table read
 * again and again. Never without what this isolate has written. Reading them, two rows each, counts as another request.
 */
export async function startedJson(c: AppContext): Promise<string> {
  const { DB } = c.env;
  const known = started.find(c, DB);
  if (known) return known;
  await throttlePublic(c);
  return started.find(c, DB) ?? started.read(c, DB, () => read(c));
}

/** From the primary: a replica may lack what was written. */
async function read(c: AppContext): Promise<string> {
  const auctions = await listStartedAuctions(openDatabase(c.env.DB, c.var.meter));
  return JSON.stringify(auctions.map(shownAuction));
}

/** Forgets the list, also one that is being read, after this isolate has written, or may have. */
export function forgetStarted(db: D1Database): void {
  started.forget(db);
}

/** Clients that know no platforms see none: the field is there where the auction has one. */
export function shownAuction({ uuid, name, status, platform }: Auction) {
  return { id: uuid, domain: name, status, ...(platform !== null && { platform }) };
}
