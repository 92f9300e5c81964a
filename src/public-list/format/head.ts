import { gunzipSync, gzipSync } from 'node:zlib';
import { sha256Hex } from '../../digest.ts';
import { putVariable, tried } from '../kv.ts';
import { type ListName, publicLists } from '../lists.ts';
import type { Block } from './block.ts';
import { comma, compressPiece, gzipEnd, gzipHeader, joinSums } from './gzip.ts';

/** A published list: the value of its key in KV, from which a reader finds every block. */
export interface Head {
  list: ListName;
  /** Random; identifies the publication, and is part of the keys that it wrote. */
  publication: string;
  /** Weak, in the form of the header. */
  etag: string;
  count: number;
  blocks: readonly Block[];
}

/** The metadata of a head's key. Listing the keys returns it without reading their values. */
export interface Published {
  publication: string;
  etag: string;
  count: number;
  /** ISO 8601. */
  publishedAt: string;
  tookMilliseconds: number;
  /** Size of the whole list, compressed. */
  bytes: number;
  blocks: number;
  /** How many entries the publication added and removed; null if that is not known. */
  added: number | null;
  removed: number | null;
}

export const headPrefix = 'list/';

export function headKey(list: ListName): string {
  return headPrefix + list;
}

export function changesKey(list: ListName, publication: string): string {
  return `changes/${list}/${publication}`;
}

export function blockKey(list: ListName, { publication, digest }: Block): string {
  return blockPrefix(list, publication) + digest;
}

export function blockPrefix(list: ListName, publication: string): string {
  return `block/${list}/${publication}/`;
}

/** Creates the head, whose ETag depends only on the list and its content. */
export async function createHead(
  list: ListName,
  publication: string,
  blocks: readonly Block[],
): Promise<Head> {
  const digest = await sha256Hex([list, ...blocks.map((block) => block.digest)].join('\n'));
  const count = blocks.reduce((total, block) => total + block.count, 0);
  return { list, publication, etag: `W/"${digest.slice(0, 32)}"`, count, blocks };
}

type BlockRow = [
  first: string,
  publication: string,
  digest: string,
  crc: number,
  length: number,
  bytes: number,
  count: number,
];

export function headToJson({ publication, etag, blocks }: Head): string {
  const rows = blocks.map(
    ({ first, publication, digest, sum: { crc, length }, bytes, count }): BlockRow => [
      first,
      publication,
      digest,
      crc,
      length,
      bytes,
      count,
    ],
  );
  return JSON.stringify({ publication, etag, blocks: rows });
}

export function headFromJson(list: ListName, json: string): Head {
  const head: { publication: string; etag: string; blocks: BlockRow[] } = JSON.parse(json);
  const blocks = head.blocks.map(
    ([first, publication, digest, crc, length, bytes, count]): Block => ({
      first,
      publication,
      digest,
      sum: { crc, length },
      bytes,
      count,
    }),
  );
  const count = blocks.reduce((total, block) => total + block.count, 0);
  return { list, publication: head.publication, etag: head.etag, count, blocks };
}

export function compressJson(json: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(gzipSync(new TextEncoder().encode(json)));
}

export function decompressJson(value: ArrayBuffer): string {
  return new TextDecoder().decode(gunzipSync(new Uint8Array(value)));
}

/** The head in KV, as this location sees it. */
export async function findStoredHead(kv: KVNamespace, list: ListName): Promise<Head | undefined> {
  const value = await tried(() => kv.get(headKey(list), 'arrayBuffer'));
  return value ? headFromJson(list, decompressJson(value)) : undefined;
}

/** Puts the head into KV: from now on, readers see this publication. */
export async function putHead(
  kv: KVNamespace,
  { head, metadata }: { head: Head; metadata: Published },
): Promise<void> {
  await putVariable(kv, headKey(head.list), compressJson(headToJson(head)), metadata);
}

/** What comes before, between and after the blocks in the gzip body of the whole list. */
export function frameOf({ list, count, blocks }: Head) {
  const start = compressPiece(`{"${publicLists[list].field}":[`);
  let sum = start.sum;
  for (const [index, block] of blocks.entries()) {
    if (index > 0) sum = joinSums(sum, comma.sum);
    sum = joinSums(sum, block.sum);
  }
  return {
    start: [gzipHeader, start.data],
    separator: comma.data,
    end: gzipEnd(`],"count":${count}}`, sum),
  };
}

/** Size of the gzip body of the whole list, in bytes. */
export function bodyBytes(head: Head): number {
  const { start, separator, end } = frameOf(head);
  const frame = [...start, end].reduce((total, { length }) => total + length, 0);
  const separators = Math.max(0, head.blocks.length - 1) * separator.length;
  return head.blocks.reduce((total, { bytes }) => total + bytes, frame + separators);
}
