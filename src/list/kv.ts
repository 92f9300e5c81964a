import { retry } from '../base/database/retry.ts';
import type { Block } from './format/block.ts';
import { compressJson, decompressJson } from './format/gzip.ts';
import type { Head, Published } from './format/head.ts';
import type { Steps } from './format/steps.ts';
import type { ListName } from './lists.ts';

const headPrefix = 'list/';
const dayStartPrefix = (list: ListName) => `day-start/${list}/`;

export function headKey(list: ListName): string {
  return headPrefix + list;
}

export function blockKey(list: ListName, { publication, digest }: Block): string {
  return blockPrefix(list, publication) + digest;
}

export function blockPrefix(list: ListName, publication: string): string {
  return `block/${list}/${publication}/`;
}

export function changesKey(list: ListName, publication: string): string {
  return `changes/${list}/${publication}`;
}

export interface Publication {
  head: Head;
  metadata: Published;
}

/** Costs one operation of KV. */
export async function readPublished(kv: KVNamespace): Promise<Map<string, Published | undefined>> {
  const keys = await listKeys<Published>(kv, headPrefix);
  return new Map(keys.map(({ name, metadata }) => [name.slice(headPrefix.length), metadata]));
}

/** Costs one operation of KV for each 1,000 keys, and for each page that KV cuts short. */
export async function listKeys<Metadata>(
  kv: KVNamespace,
  prefix: string,
): Promise<KVNamespaceListKey<Metadata>[]> {
  const keys: KVNamespaceListKey<Metadata>[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await kv.list<Metadata>({ prefix, ...(cursor && { cursor }) });
    keys.push(...page.keys);
    if (page.list_complete) return keys;
    cursor = page.cursor;
  }
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

const pauseMilliseconds = 50;
/** KV accepts one write a second to the same key. */
const sameKeyPauseMilliseconds = 1_100;

export function putConstant(
  kv: KVNamespace,
  key: string,
  value: Uint8Array<ArrayBuffer>,
): Promise<void> {
  return retryKv(() => kv.put(key, value));
}

/** For a key that others may write at the same time. */
export function putVariable(kv: KVNamespace, key: string, value: string): Promise<void> {
  return retryKv(() => kv.put(key, value), sameKeyPauseMilliseconds);
}

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

const blockCacheSeconds = 24 * 60 * 60;

/** Retrying does not solve it. */
class LastingError extends Error {}

export class MissingBlockError extends LastingError {}

/** The data that the publisher uses may have been replaced or deleted since, so it must begin again. */
export class StaleError extends LastingError {}

/** Throws a MissingBlockError if KV lacks the block. */
export async function getBlock(
  kv: KVNamespace,
  list: ListName,
  block: Block,
): Promise<ArrayBuffer> {
  const key = blockKey(list, block);
  const value = await kv.get(key, { type: 'arrayBuffer', cacheTtl: blockCacheSeconds });
  if (!value) throw new MissingBlockError(`${key} is not in KV`);
  return value;
}

/** Undefined if KV does not show them; a new key may take a minute. */
export async function findSteps(
  kv: KVNamespace,
  { list, publication }: Pick<Head, 'list' | 'publication'>,
): Promise<Steps | undefined> {
  const value = await kv.get(changesKey(list, publication), 'arrayBuffer');
  return value ? decompressJson<Steps>(value) : undefined;
}

/** Tries up to three times. The work must be safe to repeat: a put that fails may have been done. */
export function retryKv<Result>(
  attempt: () => Promise<Result>,
  betweenMilliseconds = pauseMilliseconds,
): Promise<Result> {
  return retry(attempt, {
    maximumTries: 3,
    isPassing: (error) => !(error instanceof LastingError),
    pauseMilliseconds: () => betweenMilliseconds,
  });
}
