import { sha256Hex } from '../../bytes/digest.ts';
import type { ListName } from '../lists.ts';
import type { Block } from './block.ts';

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
  /** The numbers of entries that the publication added and removed; null if they are not known. */
  added: number | null;
  removed: number | null;
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
