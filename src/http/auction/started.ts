import { type Auction, listStartedAuctions } from '../../auction/read.ts';
import { openDatabase } from '../../database/open.ts';
import type { AppContext } from '../context.ts';
import { callerNetwork, throttle } from '../throttle.ts';

/** The list of the auctions in progress, as JSON. */
interface Started {
  json: string;
  readAt: number;
}

const freshMilliseconds = 5_000;

/** Auctions that are read for one request: two rows each, which cost what 20 reads of KV do. More count as more. */
const auctionsOfRequest = 5_000;

/** The list that this isolate has read last, by database. Shared by all requests, because everybody may read it. */
const memory = new WeakMap<D1Database, Started>();
/** How often this isolate has written. A list that was being read meanwhile may lack what was written. */
const writes = new WeakMap<D1Database, number>();

/**
 * The auctions in progress, as JSON: from memory for at most five seconds, so that nobody can have the whole table read
 * again and again. Never without what this isolate has written. A long list counts as several requests when it is read.
 */
export async function startedJson(c: AppContext): Promise<string> {
  const { DB } = c.env;
  const now = c.var.now.getTime();
  const known = memory.get(DB);
  const age = known ? now - known.readAt : 0;
  // A clock that was set back is younger than what is remembered.
  if (known && age >= 0 && age < freshMilliseconds) return known.json;
  const before = writes.get(DB);
  // From the primary: a replica may lack what was written.
  const started = await listStartedAuctions(openDatabase(DB, c.var.meter));
  const json = JSON.stringify(started.map(shownAuction));
  if (writes.get(DB) === before) memory.set(DB, { json, readAt: now });
  const requests = Math.ceil(started.length / auctionsOfRequest);
  if (requests > 1) await throttle(c, 'address', callerNetwork(c), requests - 1);
  return json;
}

/** Forgets the list, after this isolate has written, or may have. */
export function forgetStarted(db: D1Database): void {
  memory.delete(db);
  writes.set(db, (writes.get(db) ?? 0) + 1);
}

/** Clients that know no platforms see none: the field is there where the auction has one. */
export function shownAuction({ uuid, name, status, platform }: Auction) {
  return { id: uuid, domain: name, status, ...(platform !== null && { platform }) };
}
