import type { Database } from '../database/open.ts';
import { type Block, openBlock, readEntries } from '../public-list/format/block.ts';
import { findContentBefore, type Steps } from '../public-list/format/steps.ts';
import { findStored, getBlock, type Publication, readSteps, tried } from '../public-list/kv.ts';
import type { ListName } from '../public-list/lists.ts';
import { dayAfter, dayOf, daysBefore, startOfDay } from '../time/day.ts';
import { bareTag, bodyKey, putBody } from './body.ts';
import { catalogueDays, type ListState, readStates } from './catalogue.ts';
import { type ArchivedDay, listDays, putDay } from './day.ts';
import { findEarlier } from './earlier.ts';

/** Days of a list in one run: an invocation may use 1,000 operations, and each day is two. The next run goes on. */
const maximumDays = 50;

/** A list as clients get it, and the steps that led to it; none if KV does not show them. */
interface Served extends Publication {
  steps: Steps;
}

/**
 * Puts into the bucket how the lists stood at the end of each day that is over, one day after the other, up to
 * yesterday. A day whose list is no longer known is recorded as missing. The archive of a list begins with the first
 * yesterday that is known. It may run at any time, be killed, or run twice at once: a day never changes. Costs one small
 * query if nothing is left to do. A list that fails does not hold up the others; in the end this throws.
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
  // All at once, because the cron publishes meanwhile.
  const served = await Promise.allSettled(due.map((state) => readServed(kv, state)));
  const errors: Error[] = [];
  for (const [index, state] of due.entries()) {
    try {
      const read = served[index]!;
      if (read.status === 'rejected') throw read.reason;
      if (read.value) await archiveList(db, kv, bucket, state, read.value, yesterday);
    } catch (cause) {
      errors.push(new Error(`list ${state.list} was not archived`, { cause }));
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, 'lists were not archived');
}

/** Undefined if the list was never published. Whatever the database has recorded, clients get what KV has. */
async function readServed(kv: KVNamespace, { list, last }: ListState): Promise<Served | undefined> {
  const stored = await findStored(kv, list);
  if (stored) return { ...stored, steps: await tried(() => readSteps(kv, stored.head)) };
  if (last) throw new Error('KV has no head');
  return undefined;
}

async function archiveList(
  db: Database,
  kv: KVNamespace,
  bucket: R2Bucket,
  { list, last: catalogued }: ListState,
  served: Served,
  yesterday: string,
): Promise<void> {
  const days = await Array.fromAsync(listDays(bucket, list, catalogued?.day));
  const lastDay = () => days.at(-1) ?? catalogued;
  let day = lastDay() ? dayAfter(lastDay()!.day) : yesterday;
  for (let count = 0; day <= yesterday && count < maximumDays; count++, day = dayAfter(day)) {
    const record = await recordOf(kv, bucket, day, served, lastDay());
    if ('missing' in record && !lastDay()) break;
    days.push(await putDay(bucket, record));
  }
  await catalogueDays(db, days);
}

/** The record of the list at the end of the day, whose content it puts into the bucket. */
async function recordOf(
  kv: KVNamespace,
  bucket: R2Bucket,
  day: string,
  { head, metadata, steps }: Served,
  last: ArchivedDay | undefined,
): Promise<ArchivedDay> {
  const { list } = head;
  const midnight = startOfDay(dayAfter(day));
  const etag =
    metadata.publishedAt < midnight ? head.etag : findContentBefore(steps, midnight, head.etag);
  // Every list has steps, so KV does not show them at the moment: a later run will know.
  if (!etag && steps.length === 0) throw new Error(`KV lacks the steps of ${head.publication}`);
  const isUnchanged = etag && last && !('missing' in last) && last.etag === bareTag(etag);
  // The bucket may be another one, or have lost the content, while the index is as it was.
  if (isUnchanged && (await bucket.head(bodyKey(last)))) return { ...last, day };
  const open = async (block: Block) => openBlock(await tried(() => getBlock(kv, list, block)));
  const entries = async (block: Block) => readEntries(await open(block));
  const content =
    etag === head.etag
      ? { head, data: undefined }
      : etag && (await findEarlier(head, steps, etag, entries));
  if (!content) return { list, day, missing: true };
  const { count } = content.head;
  const load = async (block: Block) => content.data?.get(block.digest) ?? (await open(block)).data;
  return {
    list,
    day,
    etag: bareTag(content.head.etag),
    ...(await putBody(bucket, content.head, load)),
    count,
  };
}
