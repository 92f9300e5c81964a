import { sha256Hex } from '../../base/bytes/digest.ts';
import { type ListName, publicLists } from '../lists.ts';
import type { Block } from './block.ts';
import { comma, compressPiece, gzipEnd, gzipHeader, joinSums } from './gzip.ts';

/** The value of a list's key in KV. Names every block. */
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
  /** Null if unknown. */
  added: number | null;
  removed: number | null;
}

/** What the ETag of every list has between its quotes. */
export const tagPattern = /^[0-9a-f]{32}$/;

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

type Load = (block: Block) => Promise<Uint8Array<ArrayBuffer>>;

const blocksAhead = 4;

async function* bodyParts(head: Head, load: Load): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const { start, separator, end } = frameOf(head);
  yield* start;
  const loading: ReturnType<Load>[] = [];
  for (let index = 0; index < head.blocks.length; index++) {
    for (const block of head.blocks.slice(index + loading.length, index + blocksAhead)) {
      const data = load(block);
      // Awaited in its turn. Until then, a failure must not count as an unhandled rejection.
      data.catch(() => {});
      loading.push(data);
    }
    if (index > 0) yield separator;
    const next = loading.shift();
    if (next) yield await next;
  }
  yield end;
}

export async function wholeBody(head: Head, load: Load): Promise<Uint8Array<ArrayBuffer>> {
  const body = new Uint8Array(bodyBytes(head));
  let offset = 0;
  for await (const part of bodyParts(head, load)) {
    body.set(part, offset);
    offset += part.length;
  }
  return body;
}

/** Holds only the blocks that are being fetched or sent. */
export function bodyStream(head: Head, load: Load): ReadableStream<Uint8Array<ArrayBuffer>> {
  const parts = bodyParts(head, load);
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await parts.return(undefined);
    },
  });
}

function frameOf({ list, count, blocks }: Head) {
  const start = compressPiece(`{"count":${count},"${publicLists[list].field}":[`);
  let sum = start.sum;
  for (const [index, block] of blocks.entries()) {
    if (index > 0) sum = joinSums(sum, comma.sum);
    sum = joinSums(sum, block.sum);
  }
  const end = ']}';
  return {
    start: [gzipHeader, start.data],
    separator: comma.data,
    end: gzipEnd(end, sum),
    plainBytes: sum.length + end.length,
  };
}

export const plainBytes = (head: Head): number => frameOf(head).plainBytes;

export function bodyBytes(head: Head): number {
  const { start, separator, end } = frameOf(head);
  const frame = [...start, end].reduce((total, { length }) => total + length, 0);
  const separators = Math.max(0, head.blocks.length - 1) * separator.length;
  return head.blocks.reduce((total, { bytes }) => total + bytes, frame + separators);
}
