import { and, eq, sql } from 'drizzle-orm';
import { archivedDays } from '../../../drizzle/schema.ts';
import { jsonArrays } from '../../base/database/json-rows.ts';
import type { Database } from '../../base/database/open.ts';
import { retried, within } from '../../base/database/retry.ts';
import { type ListName, listNames } from '../lists.ts';
import { type ArchivedDay, type KeptDay, listDays, readDay } from './day.ts';

/** An index of the archive in the database. The bucket has the last word: a restored database lacks days. */

export async function catalogueDays(db: Database, records: readonly ArchivedDay[]): Promise<void> {
  for (const json of jsonArrays(records)) {
    await retried(() =>
      db.run(sql`
        insert into ${archivedDays} (list, day, record)
        select value ->> 'list', value ->> 'day', value from json_each(${json}) where true
        on conflict do nothing`),
    );
  }
}

export async function findDay(
  db: Database,
  list: ListName,
  day: string,
): Promise<ArchivedDay | undefined> {
  const [row] = await db
    .select({ record: archivedDays.record })
    .from(archivedDays)
    .where(and(eq(archivedDays.list, list), eq(archivedDays.day, day)));
  return row && JSON.parse(row.record);
}

/** The bucket knows the day too, so a slow database is not waited for. */
const patienceMilliseconds = 1_000;

/**
 * Undefined if the archive had not begun, or no longer knows the list. Costs one row, and an operation of R2 if the
 * database lacks it, is down or slow.
 */
export async function findArchived(
  db: Database,
  bucket: R2Bucket,
  list: ListName,
  day: string,
): Promise<KeptDay | undefined> {
  const known = await within(patienceMilliseconds, findDay(db, list, day)).catch(() => undefined);
  const record = known ?? (await readDay(bucket, list, day));
  return record && 'missing' in record ? undefined : record;
}

/** Days that are not lost; undefined if there are none or the database is down. */
export async function findArchivedDays(db: Database, list: ListName) {
  const end = (order: 'asc' | 'desc') => sql`(
    select day from ${archivedDays} where list = ${list} and record ->> 'missing' is null
    order by day ${sql.raw(order)} limit 1)`;
  const query = sql`select ${end('asc')} as first, ${end('desc')} as last`;
  const reading = db.all<{ first: string | null; last: string | null }>(query);
  const [days] = await within(patienceMilliseconds, reading).catch(() => []);
  return days?.first && days.last ? { first: days.first, last: days.last } : undefined;
}

export interface ListState {
  list: ListName;
  last: ArchivedDay | undefined;
}

/** One round trip, which reads a row for each list. */
export async function readStates(db: Database, lists: readonly ListName[]): Promise<ListState[]> {
  const query = sql`
    select value as list,
      (select record from ${archivedDays} where list = value order by day desc limit 1) as last
    from json_each(${JSON.stringify(lists)})`;
  const rows = await retried(() => db.all<{ list: ListName; last: string | null }>(query));
  return rows.map(({ last, ...row }) => ({ ...row, last: last ? JSON.parse(last) : undefined }));
}

/** Returns the number of days in the bucket. If it fails midway, the cron completes it. */
export async function rebuildCatalogue(db: Database, bucket: R2Bucket): Promise<number> {
  await retried(() => db.delete(archivedDays));
  let count = 0;
  for (const list of listNames) {
    const days = await Array.fromAsync(listDays(bucket, list));
    await catalogueDays(db, days);
    count += days.length;
  }
  return count;
}
