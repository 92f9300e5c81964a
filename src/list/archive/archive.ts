import type { Database } from '../../base/database/open.ts';
import { dayAfter, dayOf, daysBefore, startOfDay } from '../../base/time/day.ts';
import { type Block, openBlock } from '../format/block.ts';
import {
  findStored,
  getBlock,
  MissingBlockError,
  type Publication,
  readDayStarts,
  tried,
} from '../kv.ts';
import type { ListName } from '../lists.ts';
import { bareTag, bodyKey, putBody } from './body.ts';
import { catalogueDays, type ListState, readStates } from './catalogue.ts';
import { type ArchivedDay, type KeptDay, listDays, putDay } from './day.ts';

/** Days of a list in one run: an invocation may use 1,000 operations, and each day is two. The next run goes on. */
const maximumDays = 50;

/**
 * Records in the bucket how the lists stood at the end of each day up to yesterday, one day after the other; a list
 * that is no longer known as missing. A list's archive begins with the first completed day whose content is known. May
 * run at any time, be killed, or run twice at once: a day never changes. Costs one small query if nothing is left to
 * do. A list that fails does not hold up the others; in the end this throws.
 */
export async function archiveLists(
  db: Database,
  kv: KVNamespace,
  bucket: R2Bucket,
  lists: readonly ListName[],
  now: Date,
): Promise<void> {
  const yesterday = daysBefore(dayOf(now), 1);
  const states = await readStates(db, lists);
  const due = states.filter(({ last }) => !last || last.day < yesterday);
  // All at once: the cron publishes meanwhile, and KV may show late how the lists stood before.
  const served = await Promise.allSettled(due.map((state) => findServed(kv, state)));
  const errors: Error[] = [];
  for (const [index, state] of due.entries()) {
    try {
      const found = served[index]!;
      if (found.status === 'rejected') throw found.reason;
      if (found.value) await archiveList(db, kv, bucket, state, found.value, yesterday);
    } catch (cause) {
      errors.push(new Error(`list ${state.list} was not archived`, { cause }));
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, 'lists were not archived');
}

/** As clients get the list, whatever the database has recorded; undefined if it was never published. */
async function findServed(
  kv: KVNamespace,
  { list, last }: ListState,
): Promise<Publication | undefined> {
  const served = await findStored(kv, list);
  if (!served && last) throw new Error('KV has no head');
  return served;
}

async function archiveList(
  db: Database,
  kv: KVNamespace,
  bucket: R2Bucket,
  { list, last: catalogued }: ListState,
  served: Publication,
  yesterday: string,
): Promise<void> {
  const starts = await readDayStarts(kv, list);
  const days = await Array.fromAsync(listDays(bucket, list, catalogued?.day));
  const lastDay = () => days.at(-1) ?? catalogued;
  let day = lastDay() ? dayAfter(lastDay()!.day) : yesterday;
  for (let count = 0; day <= yesterday && count < maximumDays; count++, day = dayAfter(day)) {
    const last = lastDay();
    const midnight = startOfDay(dayAfter(day));
    const isOld = (publication: Publication) => publication.metadata.publishedAt < midnight;
    const stood = isOld(served) ? served : starts.find((start) => start.day > day);
    if (!stood && last) throw new Error(`KV does not show how ${list} stood on ${day}`);
    // If that start is not old either, the list was also published on a day whose start KV no longer has.
    const record =
      stood && isOld(stood) && (await keep(kv, bucket, day, stood, { served, last, yesterday }));
    if (!record && !last) break;
    days.push(await putDay(bucket, record || { list, day, missing: true }));
  }
  await catalogueDays(db, days);
}

/** Returns the record of the day; undefined if KV has lost a part of the content. */
async function keep(
  kv: KVNamespace,
  bucket: R2Bucket,
  day: string,
  stood: Publication,
  {
    served,
    last,
    yesterday,
  }: { served: Publication; last?: ArchivedDay | undefined; yesterday: string },
): Promise<KeptDay | undefined> {
  // The same content may have been published again, because a part of it was lost.
  const head = stood.head.etag === served.head.etag ? served.head : stood.head;
  const { list, count } = head;
  const etag = bareTag(head.etag);
  const isUnchanged = last && !('missing' in last) && last.etag === etag;
  // The bucket may be another one, or have lost the content, while the index is as it was.
  if (isUnchanged && (await bucket.head(bodyKey(last)))) return { ...last, day };
  const load = async (block: Block) => openBlock(await tried(() => getBlock(kv, list, block))).data;
  try {
    return { list, day, etag, ...(await putBody(bucket, head, load)), count };
  } catch (error) {
    // KV shows everything within a day, and what is served will be repaired.
    const isLost = head !== served.head && stood.metadata.publishedAt < startOfDay(yesterday);
    if (isLost && error instanceof MissingBlockError) return undefined;
    throw error;
  }
}
