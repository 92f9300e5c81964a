import { type ListName, listNames } from './lists.ts';
import { findHead, memoryOf, type Reader } from './reader.ts';

/** What a list is, without its names. */
export interface ListFacts {
  etag: string;
  /** Of its entries. */
  count: number;
  /** ISO 8601. */
  publishedAt: string;
}

/**
 * The facts of every list as it was last published, undefined for a list that KV does not have. Costs one read of KV
 * for each list that this isolate has not looked at for a few seconds, and no query. Where KV fails, what was last seen
 * is returned.
 */
export async function readFacts(reader: Reader): Promise<Record<ListName, ListFacts | undefined>> {
  const entries = await Promise.all(
    listNames.map(async (list) => [list, await readFactsOf(list, reader)]),
  );
  return Object.fromEntries(entries);
}

async function readFactsOf(list: ListName, reader: Reader): Promise<ListFacts | undefined> {
  const head = await findHead(list, reader).catch(() => memoryOf(reader).find(list)?.head);
  const publishedAt = memoryOf(reader).find(list)?.publishedAt;
  return head && publishedAt !== undefined
    ? { etag: head.etag, count: head.count, publishedAt }
    : undefined;
}
