import type { Meter } from '../../base/database/meter.ts';
import type { Database } from '../../base/database/open.ts';
import { RegistryError } from '../../base/error.ts';
import { onFirstUseOf } from '../../base/on-first-use.ts';
import { dayOf } from '../../base/time/day.ts';
import { type Block, type Fragment, openBlock, readFragment } from '../format/block.ts';
import { decompressJson } from '../format/gzip.ts';
import type { Head, Published } from '../format/head.ts';
import { blockKey, getBlock, headKey, MissingBlockError } from '../kv.ts';
import { type ListName, listNames } from '../lists.ts';
import { type LoadedBlock, memoryOf } from './memory.ts';

export interface Reader {
  db: () => Database;
  kv: KVNamespace;
  meter: Meter;
  clock: () => Date;
  later: (work: Promise<unknown>) => void;
  /** Reports that KV lacks the list or a part of it, so that somebody publishes it. */
  report: (list: ListName, trouble: Trouble) => void;
  /**
   * Counts the coming read as so many requests of the caller, this one included. Throws `throttled` beyond the limit.
   */
  countAs: (requests: number) => Promise<void>;
}

type Trouble = 'missing' | 'incomplete';

/** The minimum that KV allows. */
const headCacheSeconds = 30;

/** Returns the head from memory or by one read of KV; undefined if KV has none. Throws if KV fails. */
export async function findHead(
  list: ListName,
  reader: Reader,
  { isFresh = false } = {},
): Promise<Head | undefined> {
  const seen = isFresh
    ? undefined
    : memoryOf(reader.kv).findFresh(list, reader.clock().getTime())?.head;
  if (seen) return seen;
  // One read serves all parts of a request.
  const ofRequest = readsOf(reader);
  const reading = ofRequest.get(list) ?? readHead(list, reader);
  ofRequest.set(list, reading);
  try {
    return await reading;
  } finally {
    ofRequest.delete(list);
  }
}

/** Each request has its own Reader, so none waits for a read of another, which may be cancelled. */
const readsOf = onFirstUseOf((_: Reader) => new Map<ListName, Promise<Head | undefined>>());

async function readHead(list: ListName, reader: Reader): Promise<Head | undefined> {
  const memory = memoryOf(reader.kv);
  const now = reader.clock().getTime();
  reader.meter.kvReads += 1;
  const { value, metadata } = await reader.kv.getWithMetadata<Published>(headKey(list), {
    type: 'arrayBuffer',
    cacheTtl: headCacheSeconds,
  });
  if (!value) return undefined;
  const previous = memory.find(list)?.head;
  const isSame = previous && previous.publication === metadata?.publication;
  const head = isSame ? previous : decompressJson<Head>(value);
  memory.keep(list, now, { etag: head.etag, head, publishedAt: metadata?.publishedAt });
  return head;
}

/** Reports the list and throws a MissingBlockError if KV lacks the block. */
export async function loadBlock(
  list: ListName,
  block: Block,
  reader: Reader,
  { isKept }: { isKept: boolean },
): Promise<LoadedBlock> {
  const { parts } = memoryOf(reader.kv);
  const key = blockKey(list, block);
  const hit = parts.find('block', key);
  if (hit) return hit;
  reader.meter.kvReads += 1;
  const value = await getBlock(reader.kv, list, block).catch((error) => {
    if (error instanceof MissingBlockError) reader.report(list, 'incomplete');
    throw error;
  });
  const open = { ...openBlock(value), key };
  if (isKept) parts.keep('block', key, open, value.byteLength);
  return open;
}

/** `isKept` is for fragments that many requests ask for. */
export function loadFragment(
  kv: KVNamespace,
  block: LoadedBlock,
  fragment: Fragment,
  { isKept }: { isKept: boolean },
): string {
  const { parts } = memoryOf(kv);
  const key = `${block.key} ${fragment.first}`;
  const hit = parts.find('fragment', key);
  if (hit !== undefined) return hit;
  const text = readFragment(block, fragment);
  // A character takes two bytes at most.
  if (isKept) parts.keep('fragment', key, text, 2 * text.length);
  return text;
}

interface Sources<Result> {
  fromHead: (head: Head) => Promise<Result>;
  /** An older result, good enough while KV fails. */
  fromMemory?: () => Result | undefined;
  fromDatabase: (db: Database, day: string) => Promise<Result>;
}

/** Reads from KV, or from the database if KV has no such list, lacks a part of it, or fails. Reports a missing list. */
export async function readWithFallback<Result>(
  list: ListName,
  reader: Reader,
  { fromHead, fromMemory, fromDatabase }: Sources<Result>,
): Promise<Result> {
  try {
    const head = await findHead(list, reader);
    if (head) return await fromHead(head);
  } catch (error) {
    if (error instanceof RegistryError) throw error;
    return fromMemory?.() ?? fromDatabase(reader.db(), dayOf(reader.clock()));
  }
  try {
    const result = await fromDatabase(reader.db(), dayOf(reader.clock()));
    reader.report(list, 'missing');
    return result;
  } catch (error) {
    const old = fromMemory?.();
    if (old) return old;
    throw error;
  }
}

/**
 * A list that KV lacks is undefined. Costs one read of KV for each list not read in the last few seconds. If KV fails,
 * returns what this isolate last read.
 */
export async function readFacts(reader: Reader) {
  const reads = listNames.map(async (list) => [list, await readFactsOf(list, reader)] as const);
  const facts = Object.fromEntries(await Promise.all(reads));
  return facts as Record<ListName, Awaited<ReturnType<typeof readFactsOf>>>;
}

async function readFactsOf(list: ListName, reader: Reader) {
  const head = await findHead(list, reader).catch(() => memoryOf(reader.kv).find(list)?.head);
  const publishedAt = memoryOf(reader.kv).find(list)?.publishedAt;
  return head && publishedAt !== undefined
    ? { etag: head.etag, count: head.count, publishedAt }
    : undefined;
}
