import type { Meter } from '../../database/meter.ts';
import type { Database } from '../../database/open.ts';
import {
  type Block,
  type Fragment,
  type OpenBlock,
  openBlock,
  readFragment,
} from '../format/block.ts';
import {
  blockKey,
  decompressJson,
  type Head,
  headFromJson,
  headKey,
  type Published,
} from '../format/head.ts';
import { getConstant } from '../kv.ts';
import type { ListName } from '../lists.ts';
import { MissingBlockError } from '../publish/writer.ts';
import { type Recollection, recollectionOf } from './recall.ts';

/** What reading a list needs. */
export interface Reader {
  db: () => Database;
  kv: KVNamespace;
  meter: Meter;
  clock: () => Date;
  /** Runs work that the answer does not wait for. */
  later: (work: Promise<unknown>) => void;
}

/** How long a location may cache a head: the minimum that KV allows. */
const headCacheSeconds = 30;

export function memoryOf({ kv }: Reader): Recollection {
  return recollectionOf(kv);
}

/**
 * The head of the list as it was last published, from memory or by one read of KV; undefined if KV has none. Throws if
 * KV fails.
 */
export async function findHead(
  list: ListName,
  reader: Reader,
  { isFresh = false } = {},
): Promise<Head | undefined> {
  const seen = isFresh
    ? undefined
    : memoryOf(reader).findFresh(list, reader.clock().getTime())?.head;
  return seen ?? readHead(list, reader);
}

/** Reads under way, by request: a request must not wait for what another one reads, because it may be cut off. */
const reads = new WeakMap<Reader, Map<ListName, Promise<Head | undefined>>>();

/** Reads the head from KV, once for all parts of a request that want it at the same time. */
async function readHead(list: ListName, reader: Reader): Promise<Head | undefined> {
  const ofRequest = reads.get(reader) ?? new Map();
  reads.set(reader, ofRequest);
  const underWay = ofRequest.get(list) ?? readHeadAlone(list, reader);
  ofRequest.set(list, underWay);
  try {
    return await underWay;
  } finally {
    ofRequest.delete(list);
  }
}

async function readHeadAlone(list: ListName, reader: Reader): Promise<Head | undefined> {
  const memory = memoryOf(reader);
  const now = reader.clock().getTime();
  reader.meter.kvReads += 1;
  const { value, metadata } = await reader.kv.getWithMetadata<Published>(headKey(list), {
    type: 'arrayBuffer',
    cacheTtl: headCacheSeconds,
  });
  if (!value) return undefined;
  const known = memory.find(list)?.head;
  const head =
    known && known.publication === metadata?.publication
      ? known
      : headFromJson(list, decompressJson(value));
  memory.keep(list, now, { etag: head.etag, head, publishedAt: metadata?.publishedAt });
  return head;
}

/** Loads a block that a head names. Throws a MissingBlockError if KV lacks it. */
export async function loadBlock(
  list: ListName,
  block: Block,
  reader: Reader,
  { isKept }: { isKept: boolean },
): Promise<OpenBlock> {
  const memory = memoryOf(reader);
  const key = blockKey(list, block);
  const kept = memory.blocks.find(key);
  if (kept) return kept;
  reader.meter.kvReads += 1;
  const value = await getConstant(reader.kv, key);
  if (!value) throw new MissingBlockError(`${key} is not in KV`);
  const open = openBlock(value);
  if (isKept) memory.blocks.keep(key, open, value.byteLength);
  return open;
}

/** The text of a fragment. It is remembered, because many requests ask for the same names. */
export function loadFragment(
  list: ListName,
  block: Block,
  open: OpenBlock,
  fragment: Fragment,
  reader: Reader,
): string {
  const { fragments } = memoryOf(reader);
  const key = `${blockKey(list, block)} ${fragment.first}`;
  const kept = fragments.find(key);
  if (kept !== undefined) return kept;
  const text = readFragment(open, fragment);
  // A character takes two bytes at most.
  fragments.keep(key, text, 2 * text.length);
  return text;
}
