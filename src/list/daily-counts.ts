import { and, between, inArray, sql } from 'drizzle-orm';
import { dailyCounts, listPublications } from '../../drizzle/schema.ts';
import type { Database } from '../base/database/open.ts';
import { retry } from '../base/database/retry.ts';
import { isRecent } from '../base/time/clock.ts';
import { dayOf, daysBefore } from '../base/time/day.ts';
import { retryKv, sameKeyPauseMilliseconds } from './kv.ts';
import { type SingleList, singleLists } from './lists.ts';
import type { Reader } from './read/parts.ts';

export interface DailyCounts {
  /** `YYYY-MM-DD`, in UTC. */
  day: string;
  /** 0 for a list that did not exist on that day. */
  counts: Record<SingleList, number>;
}

const countsKey = 'daily-counts';

const maximumDays = 366;

/**
 * Records each list's published count of names, unless the day has a record. Then puts the last year's counts into KV
 * if they differ. Safe to repeat after a failure.
 */
export async function recordDailyCounts(db: Database, kv: KVNamespace, now: Date): Promise<void> {
  const today = dayOf(now);
  const metadata = db
    .select({
      day: sql<string>`${today}`.as('day'),
      list: listPublications.list,
      count: sql<number>`metadata ->> 'count'`.as('count'),
    })
    .from(listPublications)
    .where(inArray(listPublications.list, singleLists));
  const isShown = and(
    between(dailyCounts.day, daysBefore(today, maximumDays - 1), today),
    inArray(dailyCounts.list, singleLists),
  );
  const counts = sql<string>`json_group_object(list, count order by list)`;
  const [, rows] = await retry(() =>
    db.batch([
      db.insert(dailyCounts).select(metadata).onConflictDoNothing(),
      db
        .select({ day: dailyCounts.day, counts: counts.as('counts') })
        .from(dailyCounts)
        .where(isShown)
        .groupBy(dailyCounts.day)
        .orderBy(dailyCounts.day),
    ]),
  );
  const json = JSON.stringify(rows.map(({ day, counts }) => ({ day, counts: JSON.parse(counts) })));
  const stored = await kv.get(countsKey, 'text');
  if (stored !== json) await retryKv(() => kv.put(countsKey, json), sameKeyPauseMilliseconds);
  copies.delete(kv);
}

/** The counts change once a day. */
const freshMilliseconds = 60_000;

/** Shared by all requests of the isolate, which see the same counts. */
const copies = new WeakMap<KVNamespace, { days: readonly DailyCounts[]; readAt: number }>();

/**
 * Returns at most 366 days, the oldest first; days without a run of the cron are absent. Costs at most one read of KV.
 * If KV fails, returns this isolate's last copy, or an empty list.
 */
export async function readDailyCounts(
  reader: Pick<Reader, 'kv' | 'clock' | 'meter'>,
): Promise<readonly DailyCounts[]> {
  const copy = copies.get(reader.kv);
  const now = reader.clock().getTime();
  if (copy && isRecent(copy.readAt, now, freshMilliseconds)) return copy.days;
  reader.meter.kvReads += 1;
  try {
    const value = await reader.kv.get(countsKey, { type: 'text', cacheTtl: 60 });
    const stored: DailyCounts[] = value === null ? [] : JSON.parse(value);
    const days = stored.map(({ day, counts }) => ({ day, counts: { ...zeroCounts, ...counts } }));
    copies.set(reader.kv, { days, readAt: now });
    return days;
  } catch {
    return copy?.days ?? [];
  }
}

const zeroCounts = Object.fromEntries(singleLists.map((list) => [list, 0])) as Record<
  SingleList,
  number
>;
