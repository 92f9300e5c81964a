import { and, eq, lt, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { sweeps } from '../../../drizzle/schema.ts';
import { timeAfter } from '../time/clock.ts';
import type { Database } from './open.ts';

/** The cron looks through a part of such a table in each run. */
export type Sweep = 'history_values' | 'orphan_contacts';

export interface SweepLimits {
  /** How many rows one query looks at. */
  window: number;
  /** How many queries one run makes. */
  windows: number;
}

/**
 * Looks through the next windows of a table, from where the last run stopped. Each returns the last id that it has
 * looked at, or null after the end, where the next run begins again.
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

/** Deletes rows whose times in these columns are all older than the days. */
export async function deleteOlder(
  db: Database,
  times: readonly [SQLiteColumn, ...SQLiteColumn[]],
  days: number,
  now: Date,
): Promise<void> {
  const oldest = timeAfter(now, -days * 24 * 60 * 60 * 1000);
  const rowid = sql`rowid`;
  const [{ table }] = times;
  const isOld = and(...times.map((time) => lt(time, oldest)));
  const old = db.select({ rowid }).from(table).where(isOld).limit(maximumDeleted);
  await db.delete(table).where(sql`${rowid} in ${old}`);
}
