import type { Database } from '../database/open.ts';
import { within } from '../database/retry.ts';
import type { ListName } from '../public-list/lists.ts';
import { findDay } from './catalogue.ts';
import { type KeptDay, readDay } from './day.ts';

/** The bucket knows the day too, so a slow database is not waited for. */
const patienceMilliseconds = 1_000;

/**
 * The list on a day; undefined if the archive had not begun, or no longer knows the list. Costs one row, and an
 * operation of R2 if the database lacks it, is down or slow.
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
