import { sha256Hex } from '../../base/bytes/digest.ts';
import type { ListName } from '../lists.ts';
import type { Block } from './block.ts';

/** The value of a list's key in KV, from which a reader finds every block. */
export interface Head {
  list: ListName;
  /** Random; part of the keys that the publication wrote. */
  publication: string;
  /** Weak, in the form of the header. */
  etag: string;
  count: number;
  blocks: readonly Block[];
}

/** The metadata of a head's key, which listing the keys returns. */
export interface Published {
  publication: string;
  etag: string;
  count: number;
  publishedAt: string;
  tookMilliseconds: number;
  bytes: number;
  blocks: number;
  /** How many entries the publication added and removed; null if that is not known. */
  added: number | null;
  removed: number | null;
}

/** Its ETag depends only on the list and its content. */
export async function createHead(
  list: ListName,
  publication: string,
  blocks: readonly Block[],
): Promise<Head> {
  const digest = await sha256Hex([list, ...blocks.map((block) => block.digest)].join('\n'));
  const count = blocks.reduce((total, block) => total + block.count, 0);
  return { list, publication, etag: `W/"${digest.slice(0, 32)}"`, count, blocks };
}
