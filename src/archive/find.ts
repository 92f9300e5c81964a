import type { Database } from '../database/open.ts';
import { within } from '../database/retry.ts';
import type { ListName } from '../public-list/lists.ts';
import { findDay, findDays } from './catalogue.ts';
import { type KeptDay, readDay } from './day.ts';

/** The bucket knows the day too, so a slow database is not waited for. */
const patienceMilliseconds = 1_000;

/** The list on a day; undefined if the archive lacks it. Costs a row, and an operation of R2 if the database fails. */
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

/** The first and the last day of a list that are in the archive; undefined if there are none or the database is down. */
export function findArchivedDays(db: Database, list: ListName): ReturnType<typeof findDays> {
  return within(patienceMilliseconds, findDays(db, list)).catch(() => undefined);
}
