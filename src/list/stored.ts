import { compressJson, decompressJson } from './format/gzip.ts';
import type { Head, Published } from './format/head.ts';
import type { Steps } from './format/steps.ts';
import { changesKey, headKey, listKeys, retryKv, sameKeyPauseMilliseconds } from './kv.ts';
import type { ListName } from './lists.ts';

export interface Publication {
  head: Head;
  metadata: Published;
}

export async function findStoredHead(kv: KVNamespace, list: ListName): Promise<Head | undefined> {
  const value = await retryKv(() => kv.get(headKey(list), 'arrayBuffer'));
  return value ? decompressJson<Head>(value) : undefined;
}

/** For the Worker only: the KV that a local server lends to the tool cannot read value and metadata together. */
export async function findStored(
  kv: KVNamespace,
  list: ListName,
): Promise<Publication | undefined> {
  const { value, metadata } = await retryKv(() =>
    kv.getWithMetadata<Published>(headKey(list), 'arrayBuffer'),
  );
  return value && metadata ? { head: decompressJson<Head>(value), metadata } : undefined;
}

/** Makes readers see this publication. `beforeEach` runs before each try. */
export function putHead(
  kv: KVNamespace,
  { head, metadata }: Publication,
  beforeEach: () => void = () => {},
): Promise<void> {
  return retryKv(() => {
    beforeEach();
    return kv.put(headKey(head.list), compressJson(head), { metadata });
  }, sameKeyPauseMilliseconds);
}

const dayStartPrefix = (list: ListName) => `day-start/${list}/`;

/** Longer than replaced blocks are kept, so that each day that can be archived still has its key. */
const dayStartSeconds = 60 * 24 * 60 * 60;

/** Must run before the first publication of the day replaces the head. */
export function putDayStart(kv: KVNamespace, day: string, publication: Publication): Promise<void> {
  const key = dayStartPrefix(publication.head.list) + day;
  const options = { expirationTtl: dayStartSeconds };
  return retryKv(() => kv.put(key, compressJson(publication), options), sameKeyPauseMilliseconds);
}

/**
 * Returns the list at the start of each day on which it was published, in order. Throws an Error if KV lacks a value.
 */
export async function readDayStarts(
  kv: KVNamespace,
  list: ListName,
): Promise<(Publication & { day: string })[]> {
  const prefix = dayStartPrefix(list);
  const keys = await retryKv(() => listKeys(kv, prefix));
  const values = keys.map(async ({ name }) => {
    const value = await retryKv(() => kv.get(name, 'arrayBuffer'));
    if (!value) throw new Error(`KV does not show ${name} yet`);
    return { ...decompressJson<Publication>(value), day: name.slice(prefix.length) };
  });
  return Promise.all(values);
}

/** Undefined if KV does not show them; a new key may take a minute. */
export async function findSteps(
  kv: KVNamespace,
  { list, publication }: Pick<Head, 'list' | 'publication'>,
): Promise<Steps | undefined> {
  const value = await kv.get(changesKey(list, publication), 'arrayBuffer');
  return value ? decompressJson<Steps>(value) : undefined;
}
