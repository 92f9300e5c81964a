import { openDatabase } from '../../../base/database/open.ts';
import { isRecent } from '../../../base/time/clock.ts';
import { type Auction, listStartedAuctions } from '../../../name/auction/read.ts';
import { type Health, readHealth } from '../../health/health.ts';
import { type AppContext, afterResponse, database } from './context.ts';
import { throttlePublic } from './throttle.ts';

const freshMilliseconds = 5_000;

/**
 * The value that this isolate last read for a binding, for five seconds unless said otherwise. All requests share the value, so it must be public.
 */
export class Recent<Binding extends WeakKey, Value> {
  readonly #last = new WeakMap<Binding, { value: Promise<Value>; readAt: number }>();
  readonly #milliseconds: number;

  constructor(milliseconds = freshMilliseconds) {
    this.#milliseconds = milliseconds;
  }

  find(c: AppContext, binding: Binding): Promise<Value> | undefined {
    const last = this.#last.get(binding);
    const isFresh = last && isRecent(last.readAt, c.var.now.getTime(), this.#milliseconds);
    return isFresh ? last.value : undefined;
  }

  /** Returns the value, and reads an old one again. Simultaneous requests share the reading. A failure is not remembered. */
  get(c: AppContext, binding: Binding, read: () => Promise<Value>): Promise<Value> {
    const known = this.find(c, binding);
    if (known) return known;
    const value = read();
    const reading = { value, readAt: c.var.now.getTime() };
    this.#last.set(binding, reading);
    const forget = () => {
      if (this.#last.get(binding) === reading) this.forget(binding);
    };
    // The reading continues for others, even if the first client has left.
    afterResponse(c, value.catch(forget));
    return value;
  }

  forget(binding: Binding): void {
    this.#last.delete(binding);
  }
}

const started = new Recent<D1Database, string>();

/**
 * The auctions in progress as JSON, from memory for at most five seconds: a limit for readings of the whole table. It never lacks a write of
 * this isolate. A reading costs two rows for each auction, and counts as one more request of the client.
 */
export async function startedJson(c: AppContext): Promise<string> {
  const { DB } = c.env;
  const known = started.find(c, DB);
  if (known) return known;
  await throttlePublic(c);
  return started.get(c, DB, () => read(c));
}

/** Reads the primary, because a replica may lack the latest writes. */
async function read(c: AppContext): Promise<string> {
  const auctions = await listStartedAuctions(openDatabase(c.env.DB, c.var.meter));
  return JSON.stringify(auctions.map(auctionRepresentation));
}

/** Forgets the list, even during a reading. Call it after every attempt to write. */
export function forgetStarted(db: D1Database): void {
  started.forget(db);
}

/** `platform` is present only if the auction has one, because old clients do not know it. */
export function auctionRepresentation(
  auction: Pick<Auction, 'uuid' | 'name' | 'status' | 'platform'>,
) {
  const { uuid, name, status, platform } = auction;
  return { id: uuid, domain: name, status, ...(platform !== null && { platform }) };
}

/** Requests share the findings of this isolate, which do not depend on them. */
const known = new WeakMap<D1Database, { health: Health; readAt: number }>();

const readings = new Recent<D1Database, Health>();

/** At most five seconds old. Simultaneous requests share a reading. */
export async function recentHealth(c: AppContext): Promise<Health> {
  const { DB } = c.env;
  const last = known.get(DB);
  if (last && isWithin(freshMilliseconds / 1000, last.readAt, c)) return last.health;
  return readings.get(c, DB, () => readAgain(c));
}

async function readAgain(c: AppContext): Promise<Health> {
  const health = await readHealth(database(c), c.env.LISTS, c.var.now);
  known.set(c.env.DB, { health, readAt: c.var.now.getTime() });
  return health;
}

function isWithin(seconds: number, instant: number, c: AppContext): boolean {
  return isRecent(instant, c.var.now.getTime(), seconds * 1000);
}

/** The time of this isolate's last reading of the health for a page. */
const asked = new WeakMap<D1Database, number>();

/**
 * Whether lists were late at a recent reading. Never waits: the health is read once a minute, after the response.
 */
export function knowsOfLateLists(c: AppContext): boolean {
  const { DB } = c.env;
  const last = known.get(DB);
  if (!isWithin(60, Math.max(last?.readAt ?? 0, asked.get(DB) ?? 0), c)) {
    asked.set(DB, c.var.now.getTime());
    afterResponse(c, readAgain(c));
  }
  return last !== undefined && isWithin(300, last.readAt, c) && last.health.areListsLate;
}
