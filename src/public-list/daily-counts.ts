import { and, between, inArray, sql } from 'drizzle-orm';
import { dailyCounts, listPublications } from '../../drizzle/schema.ts';
import type { Database } from '../database/open.ts';
import { retried } from '../database/retry.ts';
import { dayOf, daysBefore } from '../day.ts';
import { putVariable } from './kv.ts';
import { type CountedList, countedLists } from './lists.ts';
import { memoryOf, type Reader } from './reader.ts';
import { recollectionOf } from './recall.ts';

/** How many names were on each list on one day. */
export interface DailyCounts {
  /** In UTC, `YYYY-MM-DD`. */
  day: string;
  /** 0 for a list that was not counted on that day, which is one that was added later. */
  counts: Record<CountedList, number>;
}

const countsKey = 'daily-counts';

/** How many days are shown: a year, with its first and its last day. */
const maximumDays = 366;

/**
 * Records how many names each list has, as it was last published, unless that is recorded for the day; and makes KV
 * hold the counts of a year. May be repeated at any time: what an earlier run failed to do is done. Costs one round
 * trip, which reads the rows of a year, one read of KV, and a write where KV holds something else.
 */
export async function recordDailyCounts(db: Database, kv: KVNamespace, now: Date): Promise<void> {
  const today = dayOf(now);
  const json = JSON.stringify(await recordAndList(db, today));
  const held = await kv.get(countsKey, 'text');
  if (held !== json) await putVariable(kv, countsKey, json);
  recollectionOf(kv).dailyCounts = undefined;
}

/** What KV holds of a day: the lists that were counted. */
interface CountedDay {
  day: string;
  counts: Partial<Record<CountedList, number>>;
}

async function recordAndList(db: Database, today: string): Promise<CountedDay[]> {
  const isCounted = inArray(listPublications.list, countedLists);
  const [, rows] = await retried(() =>
    db.batch([
      db
        .insert(dailyCounts)
        .select(
          db
            .select({
              day: sql<string>`${today}`.as('day'),
              list: listPublications.list,
              count: sql<number>`metadata ->> 'count'`.as('count'),
            })
            .from(listPublications)
            .where(isCounted),
        )
        .onConflictDoNothing(),
      db
        .select({
          day: dailyCounts.day,
          counts: sql<string>`json_group_object(list, count order by list)`.as('counts'),
        })
        .from(dailyCounts)
        .where(
          and(
            between(dailyCounts.day, daysBefore(today, maximumDays - 1), today),
            inArray(dailyCounts.list, countedLists),
          ),
        )
        .groupBy(dailyCounts.day)
        .orderBy(dailyCounts.day),
    ]),
  );
  return rows.map(({ day, counts }) => ({ day, counts: JSON.parse(counts) }));
}

/** For how long an isolate takes what it has read for what KV holds: the counts change once a day. */
const freshMilliseconds = 60_000;

/**
 * The counts of the last year, the oldest day first, at most 366 days; days on which the cron did not run are missing.
 * By what this isolate remembers or by one read of KV, and never by a query. Where KV has none, or fails and nothing is
 * remembered, there are none.
 */
export async function readDailyCounts(reader: Reader): Promise<readonly DailyCounts[]> {
  const memory = memoryOf(reader);
  const now = reader.clock().getTime();
  if (memory.dailyCounts && memory.dailyCounts.freshUntil > now) return memory.dailyCounts.days;
  reader.meter.kvReads += 1;
  try {
    const value = await reader.kv.get(countsKey, { type: 'text', cacheTtl: 60 });
    const held: CountedDay[] = value === null ? [] : JSON.parse(value);
    const days = held.map(({ day, counts }) => ({ day, counts: { ...none, ...counts } }));
    memory.dailyCounts = { days, freshUntil: now + freshMilliseconds };
    return days;
  } catch {
    return memory.dailyCounts?.days ?? [];
  }
}

const none = Object.fromEntries(countedLists.map((list) => [list, 0])) as Record<
  CountedList,
  number
>;
