import { and, between, inArray, sql } from 'drizzle-orm';
import { dailyCounts, listPublications } from '../../drizzle/schema.ts';
import type { Database } from '../base/database/open.ts';
import { retried } from '../base/database/retry.ts';
import { isRecent } from '../base/time/clock.ts';
import { dayOf, daysBefore } from '../base/time/day.ts';
import { putVariable } from './kv.ts';
import { type CountedList, countedLists } from './lists.ts';
import type { Reader } from './read/parts.ts';

export interface DailyCounts {
  /** `YYYY-MM-DD`, in UTC. */
  day: string;
  /** 0 for a list that did not exist on that day. */
  counts: Record<CountedList, number>;
}

const countsKey = 'daily-counts';

const maximumDays = 366;

/**
 * Records how many names each list has, as last published, unless the day has a record; then puts the counts of the
 * last year into KV if they differ. Safe to repeat: finishes what a failed run left undone.
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
    .where(inArray(listPublications.list, countedLists));
  const isShown = and(
    between(dailyCounts.day, daysBefore(today, maximumDays - 1), today),
    inArray(dailyCounts.list, countedLists),
  );
  const counts = sql<string>`json_group_object(list, count order by list)`;
  const [, rows] = await retried(() =>
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
  const held = await kv.get(countsKey, 'text');
  if (held !== json) await putVariable(kv, countsKey, json);
  remembered.delete(kv);
}

/** The counts change once a day. */
const freshMilliseconds = 60_000;

/** Shared by all requests of the isolate, because they all see the same counts. */
const remembered = new WeakMap<KVNamespace, { days: readonly DailyCounts[]; readAt: number }>();

/**
 * At most 366 days, the oldest first, without those on which the cron did not run. Costs at most one read of KV. If KV
 * fails, returns what this isolate last read, or an empty list.
 */
export async function readDailyCounts(
  reader: Pick<Reader, 'kv' | 'clock' | 'meter'>,
): Promise<readonly DailyCounts[]> {
  const known = remembered.get(reader.kv);
  const now = reader.clock().getTime();
  if (known && isRecent(known.readAt, now, freshMilliseconds)) return known.days;
  reader.meter.kvReads += 1;
  try {
    const value = await reader.kv.get(countsKey, { type: 'text', cacheTtl: 60 });
    const held: DailyCounts[] = value === null ? [] : JSON.parse(value);
    const days = held.map(({ day, counts }) => ({ day, counts: { ...none, ...counts } }));
    remembered.set(reader.kv, { days, readAt: now });
    return days;
  } catch {
    return known?.days ?? [];
  }
}

const none = Object.fromEntries(countedLists.map((list) => [list, 0])) as Record<
  CountedList,
  number
>;
