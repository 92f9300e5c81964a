import type { ListName } from '../lists.ts';
import { listObjects } from './objects.ts';

/** A list at the end of a UTC day, or a record that it is unknown. It never changes. */
export type ArchivedDay = KeptDay | (Pick<KeptDay, 'list' | 'day'> & { missing: true });

export interface KeptDay {
  list: ListName;
  day: string;
  etag: string;
  count: number;
  bytes: number;
  /** Absent in the records of 1.0.0. */
  isCountFirst?: true;
}

const prefixOf = (list: ListName) => `days/${list}/`;
const keyOf = (list: ListName, day: string) => prefixOf(list) + day;

/**
 * Returns the bucket's record, which is another run's if that was first. Costs one operation of R2, or two if there was
 * a record.
 */
export async function putDay(bucket: R2Bucket, record: ArchivedDay): Promise<ArchivedDay> {
  const json = JSON.stringify(record);
  const putting = bucket.put(keyOf(record.list, record.day), json, {
    httpMetadata: { contentType: 'application/json' },
    // Listing the keys returns it, so that no object has to be read.
    customMetadata: { record: json },
    onlyIf: { etagDoesNotMatch: '*' },
  });
  // A lock rule may refuse it before the condition does.
  const put = await putting.catch((error: Error) => error);
  if (put && !(put instanceof Error)) return record;
  const existing = await readDay(bucket, record.list, record.day);
  if (!existing) throw put ?? new Error(`the record of ${record.day} exists, but cannot be read`);
  return existing;
}

/** One operation of R2; undefined if there is no record. */
export async function readDay(
  bucket: R2Bucket,
  list: ListName,
  day: string,
): Promise<ArchivedDay | undefined> {
  const object = await bucket.get(keyOf(list, day));
  return object?.json<ArchivedDay>();
}

/** In order. Costs as much as `listObjects`. */
export async function* listDays(
  bucket: R2Bucket,
  list: ListName,
): AsyncGenerator<ArchivedDay, void> {
  const include: R2ListOptions['include'] = ['customMetadata'];
  for await (const { customMetadata } of listObjects(bucket, { prefix: prefixOf(list), include })) {
    yield JSON.parse(customMetadata!.record!);
  }
}

/** Returns the first and the last day that are not missing; undefined if there are none. */
export async function findArchivedDays(bucket: R2Bucket, list: ListName) {
  const days = await Array.fromAsync(listDays(bucket, list));
  const recorded = days.filter((record) => !('missing' in record));
  return recorded.length > 0 ? { first: recorded[0]!.day, last: recorded.at(-1)!.day } : undefined;
}
