import { retry } from '../base/database/retry.ts';
import type { Block } from './format/block.ts';
import type { Published } from './format/head.ts';
import type { ListName } from './lists.ts';

const headPrefix = 'list/';

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

const pauseMilliseconds = 50;
/** KV accepts one write a second to the same key. */
export const sameKeyPauseMilliseconds = 1_100;

export function putConstant(
  kv: KVNamespace,
  key: string,
  value: Uint8Array<ArrayBuffer>,
): Promise<void> {
  return retryKv(() => kv.put(key, value));
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
