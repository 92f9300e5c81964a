import { and, eq, lt, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { sweeps } from '../../../drizzle/schema.ts';
import { timeAfter } from '../time/clock.ts';
import type { Database } from './open.ts';

/** Tables of which the cron examines a part in each run. */
type Sweep = 'history_values' | 'orphan_contacts';

export interface SweepLimits {
  /** Rows of one query. */
  window: number;
  /** Queries of one run. */
  windows: number;
}

/**
 * Examines the next windows of a table, from the end of the last run. `lookAt` returns the last id that it examined, or
 * null at the end, after which the next run starts over.
 */
export async function sweep(
  db: Database,
  name: Sweep,
  windows: number,
  lookAt: (after: number) => Promise<number | null>,
): Promise<void> {
  const [row] = await db.select().from(sweeps).where(eq(sweeps.name, name));
  let last: number | null = row?.after ?? 0;
  for (let n = 0; n < windows && last !== null; n++) last = await lookAt(last);
  const after = last ?? 0;
  await db
    .insert(sweeps)
    .values({ name, after })
    .onConflictDoUpdate({ target: sweeps.name, set: { after } });
}

/** The next run continues. */
const maximumDeleted = 10_000;

/** Deletes rows if all these times are older than the days, and the condition holds. */
export async function deleteOlder(
  db: Database,
  times: readonly [SQLiteColumn, ...SQLiteColumn[]],
  days: number,
  now: Date,
  condition?: SQL,
): Promise<void> {
  const oldest = timeAfter(now, -days * 24 * 60 * 60 * 1000);
  const rowid = sql`rowid`;
  const [{ table }] = times;
  const isOld = and(...times.map((time) => lt(time, oldest)), condition);
  const old = db.select({ rowid }).from(table).where(isOld).limit(maximumDeleted);
  await db.delete(table).where(sql`${rowid} in ${old}`);
}
