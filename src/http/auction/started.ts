import { type Auction, listStartedAuctions } from '../../auction/read.ts';
import { openDatabase } from '../../database/open.ts';
import { type AppContext, afterResponse } from '../context.ts';
import { throttlePublic } from '../throttle.ts';

/** The list of the auctions in progress, as JSON, which may still be on its way. */
interface Started {
  json: Promise<string>;
  readAt: number;
}

const freshMilliseconds = 5_000;

/** The list that this isolate has read last, by database. Shared by all requests, because everybody may read it. */
const memory = new WeakMap<D1Database, Started>();

/**
 * The auctions in progress, as JSON: from memory for at most five seconds, so that nobody can have the whole table read
 * again and again. Never without what this isolate has written. Reading them, two rows each, counts as another request.
 */
export async function startedJson(c: AppContext): Promise<string> {
  const known = recall(c);
  if (known) return known;
  await throttlePublic(c);
  return recall(c) ?? read(c);
}

function recall(c: AppContext): Promise<string> | undefined {
  const known = memory.get(c.env.DB);
  const age = known ? c.var.now.getTime() - known.readAt : 0;
  // A clock that was set back is younger than what is remembered.
  return age >= 0 && age < freshMilliseconds ? known?.json : undefined;
}

/** Reads the list once for all requests that ask for it at the same time. */
function read(c: AppContext): Promise<string> {
  const { DB } = c.env;
  // From the primary: a replica may lack what was written.
  const json = listStartedAuctions(openDatabase(DB, c.var.meter)).then((started) =>
    JSON.stringify(started.map(shownAuction)),
  );
  const reading = { json, readAt: c.var.now.getTime() };
  memory.set(DB, reading);
  const forget = () => {
    if (memory.get(DB) === reading) memory.delete(DB);
  };
  // It goes on for those who wait for it, even if the client that asked first has gone.
  afterResponse(c, json.catch(forget));
  return json;
}

/** Forgets the list, also one that is being read, after this isolate has written, or may have. */
export function forgetStarted(db: D1Database): void {
  memory.delete(db);
}

/** Clients that know no platforms see none: the field is there where the auction has one. */
export function shownAuction({ uuid, name, status, platform }: Auction) {
  return { id: uuid, domain: name, status, ...(platform !== null && { platform }) };
}
