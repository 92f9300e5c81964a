import { type ListName, listNames } from '../lists.ts';
import { memoryOf } from './memory.ts';
import { findHead, type Reader } from './parts.ts';

/**
 * Undefined for a list that KV does not have. Costs one read of KV for each list that this isolate has not read in the
 * last few seconds. If KV fails, returns what this isolate last read.
 */
export async function readFacts(reader: Reader) {
  const reading = listNames.map(async (list) => [list, await readFactsOf(list, reader)] as const);
  const facts = Object.fromEntries(await Promise.all(reading));
  return facts as Record<ListName, Awaited<ReturnType<typeof readFactsOf>>>;
}

async function readFactsOf(list: ListName, reader: Reader) {
  const head = await findHead(list, reader).catch(() => memoryOf(reader.kv).find(list)?.head);
  const publishedAt = memoryOf(reader.kv).find(list)?.publishedAt;
  return head && publishedAt !== undefined
    ? { etag: head.etag, count: head.count, publishedAt }
    : undefined;
}
