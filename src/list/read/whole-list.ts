import type { Database } from '../../base/database/open.ts';
import { isRecent } from '../../base/time/clock.ts';
import { buildLists } from '../entries.ts';
import { type Block, buildBlock, openBlock } from '../format/block.ts';
import type { ListEntry } from '../format/entry.ts';
import { bodyBytes, bodyStream, createHead, type Head, wholeBody } from '../format/head.ts';
import type { ListName } from '../lists.ts';
import { memoryOf, type Whole } from './memory.ts';
import { loadBlock, type Reader, readWithFallback } from './parts.ts';

/** Without a body if the client has the list already. */
export interface ReadList {
  etag: string;
  body: Uint8Array<ArrayBuffer> | ReadableStream | undefined;
  bytes: number;
}

type IsKnown = (etag: string) => boolean;

/**
 * Reads the list from memory if seen in the last few seconds, or else from KV. If KV lacks it, builds it from the
 * database. If KV fails, returns an older copy or, without one, builds it.
 */
export async function readList(
  list: ListName,
  reader: Reader,
  isKnown: IsKnown,
): Promise<ReadList> {
  const { kv } = reader;
  return (
    recallList(list, kv, reader.clock().getTime(), isKnown) ??
    readWithFallback(list, reader, {
      fromHead: async (head) => recall(list, head.etag, kv, isKnown) ?? readFromKv(head, reader),
      fromMemory() {
        const old = memoryOf(kv).find(list);
        return old && recall(list, old.etag, kv, isKnown);
      },
      async fromDatabase(db, day) {
        await reader.countAs(requestsOfBuild);
        const { etag, body } = await readFromDatabase(list, reader, db, day);
        return readyList(etag, isKnown(etag) ? undefined : body);
      },
    })
  );
}

/** Answers from memory; undefined unless this isolate has read the list in the last few seconds. */
export function recallList(
  list: ListName,
  kv: KVNamespace,
  nowMilliseconds: number,
  isKnown: IsKnown,
): ReadList | undefined {
  const seen = memoryOf(kv).findFresh(list, nowMilliseconds);
  return seen && recall(list, seen.etag, kv, isKnown);
}

function recall(
  list: ListName,
  etag: string,
  kv: KVNamespace,
  isKnown: IsKnown,
): ReadList | undefined {
  if (isKnown(etag)) return readyList(etag, undefined);
  const body = memoryOf(kv).lists.find('body', bodyKey(list, etag));
  return body && readyList(etag, body);
}

function readyList(etag: string, body: Uint8Array<ArrayBuffer> | undefined): ReadList {
  return { etag, body, bytes: body?.byteLength ?? 0 };
}

const bodyKey = (list: ListName, etag: string) => `${list} ${etag}`;

/** After this time, a request that loads or builds a list counts as cancelled. */
const patienceMilliseconds = 30_000;

/** Reading more blocks than this counts as more than one request. */
const blocksOfRequest = 20;

/** A build counts as so many requests: a million names are a million rows. */
const requestsOfBuild = 100;

/** To limit memory, one request at a time loads the body, and others stream it. */
async function readFromKv(head: Head, reader: Reader): Promise<ReadList> {
  const { list, etag } = head;
  const { loading, lists } = memoryOf(reader.kv);
  const now = reader.clock().getTime();
  const bytes = bodyBytes(head);
  const load = async (block: Block) =>
    (await loadBlock(list, block, reader, { isKept: false })).data;
  await reader.countAs(Math.ceil(head.blocks.length / blocksOfRequest));
  const isLoading = isRecent(loading.get(list) ?? 0, now, patienceMilliseconds);
  if (isLoading || !lists.fits(bytes)) return { etag, body: bodyStream(head, load), bytes };
  loading.set(list, now);
  try {
    const body = await wholeBody(head, load);
    lists.keep('body', bodyKey(list, etag), body, bytes);
    return readyList(etag, body);
  } finally {
    loading.delete(list);
  }
}

/** One build serves all requests that ask at the same time. */
async function readFromDatabase(
  list: ListName,
  reader: Reader,
  db: Database,
  day: string,
): Promise<Whole> {
  const memory = memoryOf(reader.kv);
  const now = reader.clock().getTime();
  let running = memory.builds.get(list);
  if (!running || !isRecent(running.startedAt, now, patienceMilliseconds)) {
    running = { built: build(list, db, day), startedAt: now };
    memory.builds.set(list, running);
    // The build continues for the others, even if the first client has gone.
    reader.later(running.built.catch(() => {}));
  }
  try {
    const { etag, body } = await running.built;
    memory.keep(list, reader.clock().getTime(), { etag, head: undefined });
    memory.lists.keep('body', bodyKey(list, etag), body, body.byteLength);
    return { etag, body };
  } finally {
    if (memory.builds.get(list) === running) memory.builds.delete(list);
  }
}

/** Gives the list the ETag that it will be published with. */
async function build(list: ListName, db: Database, day: string): Promise<Whole> {
  const data = new Map<string, Uint8Array<ArrayBuffer>>();
  const save = async (entries: ListEntry[]): Promise<Block> => {
    const { block, value } = await buildBlock('', entries);
    data.set(block.digest, openBlock(value.buffer).data);
    return block;
  };
  const built = await buildLists(db, [{ list, save }], day);
  const head = await createHead(list, '', built.get(list)!);
  const body = await wholeBody(head, async ({ digest }) => data.get(digest) ?? new Uint8Array());
  return { etag: head.etag, body };
}
