import { dayAfter, dayOf, daysBefore, startOfDay } from '../../base/time/day.ts';
import { type Block, openBlock } from '../format/block.ts';
import { plainBytes } from '../format/head.ts';
import { getBlock, MissingBlockError, retryKv } from '../kv.ts';
import type { ListName } from '../lists.ts';
import { findStored, type Publication, readDayStarts } from '../stored.ts';
import { bareTag, bodyKey, putBody } from './body.ts';
import { type ArchivedDay, type KeptDay, listDays, putDay } from './day.ts';

/** Days of a list in one run: an invocation may use 1,000 operations, and a day takes two. The next run continues. */
const maximumDays = 50;

/**
 * Records in the bucket each list at the end of each day up to yesterday, or that its content is lost, from the first
 * day whose content is known. Safe to kill, and to run twice at once. Costs one listing of R2 for each list if nothing
 * is left to do. If a list fails, throws after the others.
 */
export async function archiveLists(
  kv: KVNamespace,
  bucket: R2Bucket,
  lists: readonly ListName[],
  now: Date,
): Promise<void> {
  const yesterday = daysBefore(dayOf(now), 1);
  // All heads at once: the cron publishes meanwhile, and KV may be late to show the starts of days.
  const results = await Promise.allSettled(
    lists.map((list) => findDue(kv, bucket, list, yesterday)),
  );
  const errors: Error[] = [];
  for (const [index, due] of results.entries()) {
    try {
      if (due.status === 'rejected') throw due.reason;
      if (due.value) await archiveList(kv, bucket, due.value, yesterday);
    } catch (cause) {
      errors.push(new Error(`list ${lists[index]} was not archived`, { cause }));
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, 'lists were not archived');
}

interface Due {
  list: ListName;
  last: ArchivedDay | undefined;
  /** What clients get from KV; the database may have recorded another. */
  served: Publication;
}

/** Undefined if nothing is left to archive, or the list was never published. */
async function findDue(
  kv: KVNamespace,
  bucket: R2Bucket,
  list: ListName,
  yesterday: string,
): Promise<Due | undefined> {
  const last = (await Array.fromAsync(listDays(bucket, list))).at(-1);
  if (last && last.day >= yesterday) return undefined;
  const served = await findStored(kv, list);
  if (!served && last) throw new Error('KV has no head');
  return served && { list, last, served };
}

async function archiveList(
  kv: KVNamespace,
  bucket: R2Bucket,
  due: Due,
  yesterday: string,
): Promise<void> {
  const { list, served } = due;
  let { last } = due;
  const starts = await readDayStarts(kv, list);
  let day = last ? dayAfter(last.day) : yesterday;
  for (let count = 0; day <= yesterday && count < maximumDays; count++, day = dayAfter(day)) {
    const midnight = startOfDay(dayAfter(day));
    const isOld = (publication: Publication) => publication.metadata.publishedAt < midnight;
    const atDayEnd = isOld(served) ? served : starts.find((start) => start.day > day);
    if (!atDayEnd && last) throw new Error(`KV does not show how ${list} stood on ${day}`);
    // If this start is not old either, KV has lost the start of an earlier day.
    const record =
      atDayEnd &&
      isOld(atDayEnd) &&
      (await keep(kv, bucket, { atDayEnd, served, last }, [day, yesterday]));
    if (!record && !last) break;
    last = await putDay(bucket, record || { list, day, missing: true });
  }
}

/** Undefined if KV has lost a part of the content. */
async function keep(
  kv: KVNamespace,
  bucket: R2Bucket,
  { atDayEnd, served, last }: { atDayEnd: Publication; served: Publication; last: Due['last'] },
  [day, yesterday]: readonly [string, string],
): Promise<KeptDay | undefined> {
  // The same content may have been published again because KV had lost a part.
  const head = atDayEnd.head.etag === served.head.etag ? served.head : atDayEnd.head;
  const { list, count } = head;
  const etag = bareTag(head.etag);
  const record: KeptDay = { list, day, etag, count, bytes: plainBytes(head), isCountFirst: true };
  const isUnchanged = last && !('missing' in last) && last.etag === etag;
  // The bucket may have lost the content.
  if (isUnchanged && (await bucket.head(bodyKey(record)))) return record;
  // Distinguishes a missing block from an error of R2.
  let isBlockMissing = false;
  const load = async (block: Block) => {
    const value = await retryKv(() => getBlock(kv, list, block)).catch((error) => {
      isBlockMissing = error instanceof MissingBlockError;
      throw error;
    });
    return openBlock(value).data;
  };
  try {
    await putBody(bucket, head, load);
    return record;
  } catch (error) {
    // Lost, not late: KV shows everything within a day. The served list is repaired instead.
    const isLost = head !== served.head && atDayEnd.metadata.publishedAt < startOfDay(yesterday);
    if (isLost && isBlockMissing) return undefined;
    throw error;
  }
}
