import { type Health, readHealth } from '../../health/health.ts';
import { type AppContext, afterResponse, database } from './context.ts';

/** Requests share the findings of this isolate, which do not depend on them. */
const known = new WeakMap<D1Database, { health: Health; readAt: number }>();

/** Health of at most this age. */
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
  // An instant in the future means that the clock was set back.
  return age >= 0 && age < seconds * 1000;
}

/** When this isolate last began to read the health for a page. */
const asked = new WeakMap<D1Database, number>();

/**
 * Whether lists were late at the last reading, if that is recent. It waits for nothing: once a minute, the health is
 * read again while the answer leaves.
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
