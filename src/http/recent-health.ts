import { type Health, readHealth } from '../health/health.ts';
import { type AppContext, afterResponse, database } from './context.ts';

/** The last findings of this isolate, by database. Shared by all requests, because they do not depend on them. */
const known = new WeakMap<D1Database, { health: Health; readAt: number }>();

/** The state of everything that the interfaces depend on, not older than so many seconds. */
export async function recentHealth(c: AppContext, maximumAgeSeconds: number): Promise<Health> {
  const last = known.get(c.env.DB);
  return last && isWithin(maximumAgeSeconds, last.readAt, c) ? last.health : await readAgain(c);
}

async function readAgain(c: AppContext): Promise<Health> {
  const health = await readHealth(database(c), c.env.LISTS, c.var.now);
  known.set(c.env.DB, { health, readAt: c.var.now.getTime() });
  return health;
}

function isWithin(seconds: number, instant: number, c: AppContext): boolean {
  const age = c.var.now.getTime() - instant;
  // After a clock was set back, an earlier reading is in the future.
  return age >= 0 && age < seconds * 1000;
}

/** When this isolate last had the findings read for a page, however that ended. */
const asked = new WeakMap<D1Database, number>();

/**
 * Whether this isolate has learnt in the last minutes that lists are late. It waits for nothing: once a minute, the
 * findings are read again while the answer is on its way.
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
