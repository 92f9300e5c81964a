import type { ListName } from '../lists.ts';
import { listObjects, putUnlessThere } from './objects.ts';

/** A list at the end of a UTC day, or a record that this is not known. It never changes. */
export type ArchivedDay = KeptDay | (Pick<KeptDay, 'list' | 'day'> & { missing: true });

export interface KeptDay {
  list: ListName;
  day: string;
  /** Has neither `W/` nor quotes. */
  etag: string;
  /** SHA-256 of the plain JSON body, in 64 hexadecimal digits, and its size. */
  sha256: string;
  count: number;
  bytes: number;
}

const prefixOf = (list: ListName) => `days/${list}/`;
const keyOf = (list: ListName, day: string) => prefixOf(list) + day;

/** Returns the record that the bucket has afterwards: that of another run, if it was first. */
export async function putDay(bucket: R2Bucket, record: ArchivedDay): Promise<ArchivedDay> {
  const json = JSON.stringify(record);
  const there = await putUnlessThere(bucket, keyOf(record.list, record.day), json, {
    httpMetadata: { contentType: 'application/json' },
    // Listing the keys returns it, so that no object has to be read.
    customMetadata: { record: json },
  });
  return there ? there.json<ArchivedDay>() : record;
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

/** Records of a list after a day, in order. One operation of R2 for each page of at most 1,000. */
export async function* listDays(
  bucket: R2Bucket,
  list: ListName,
  after?: string,
): AsyncGenerator<ArchivedDay, void> {
  const prefix = prefixOf(list);
  const startAfter = keyOf(list, after ?? '');
  const include: R2ListOptions['include'] = ['customMetadata'];
  for await (const { customMetadata } of listObjects(bucket, { prefix, startAfter, include })) {
    yield JSON.parse(customMetadata!.record!);
  }
}

/** Those of the days that are not lost; undefined if there are none. Costs as much as `listDays`. */
export async function findArchivedDays(bucket: R2Bucket, list: ListName) {
  const days = await Array.fromAsync(listDays(bucket, list));
  const kept = days.filter((record) => !('missing' in record));
  return kept.length > 0 ? { first: kept[0]!.day, last: kept.at(-1)!.day } : undefined;
}
