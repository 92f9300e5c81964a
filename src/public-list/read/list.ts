import { dayOf } from '../../day.ts';
import { buildLists } from '../build.ts';
import { type Block, buildBlock, openBlock } from '../format/block.ts';
import { bodyStream, wholeBody } from '../format/body.ts';
import type { Entry } from '../format/entry.ts';
import { bodyBytes, createHead, type Head } from '../format/head.ts';
import type { ListName } from '../lists.ts';
import { publish } from '../publish/publish.ts';
import { MissingBlockError } from '../publish/writer.ts';
import { fitsMemory } from './memory.ts';
import { findHead, loadBlock, memoryOf, type Reader } from './reader.ts';

/** A list to answer with. It has no body if the client has the list already. */
export interface ReadList {
  etag: string;
  /** Gzip. */
  body: Uint8Array<ArrayBuffer> | ReadableStream | undefined;
}

/** Whether the client has the list with this ETag. */
type IsKnown = (etag: string) => boolean;

/**
 * The list as it was last published: from memory if this isolate has read it in the last few seconds, otherwise from
 * KV. If KV has no such list, it is built from the database and published. If KV fails, the answer is an older copy in
 * memory or, without one, the list from the database.
 */
export async function readList(
  list: ListName,
  reader: Reader,
  isKnown: IsKnown,
): Promise<ReadList> {
  const memory = memoryOf(reader);
  const seen = memory.findFresh(list, reader.clock().getTime());
  const remembered = seen && recall(list, seen.etag, reader, isKnown);
  if (remembered) return remembered;
  try {
    const head = await findHead(list, reader);
    if (!head) return await readFromDatabase(list, reader, isKnown, 'empty');
    return recall(list, head.etag, reader, isKnown) ?? (await readFromKv(head, reader));
  } catch (error) {
    const old = memory.find(list);
    const copy = old && recall(list, old.etag, reader, isKnown);
    const isBroken = error instanceof MissingBlockError;
    return copy ?? readFromDatabase(list, reader, isKnown, isBroken ? 'broken' : 'failing');
  }
}

const bodyKey = (list: ListName, etag: string) => `${list} ${etag}`;

/** The answer, if it can be given from memory. */
function recall(
  list: ListName,
  etag: string,
  reader: Reader,
  isKnown: IsKnown,
): ReadList | undefined {
  if (isKnown(etag)) return { etag, body: undefined };
  const body = memoryOf(reader).bodies.find(bodyKey(list, etag));
  return body && { etag, body };
}

/** Only one request at a time loads the body into memory, to limit what they hold together. The others stream it. */
async function readFromKv(head: Head, reader: Reader): Promise<ReadList> {
  const { list, etag } = head;
  const { marks, bodies } = memoryOf(reader);
  const key = bodyKey(list, etag);
  const now = reader.clock().getTime();
  const bytes = bodyBytes(head);
  const load = async (block: Block) =>
    (await loadBlock(list, block, reader, { isKept: false })).data;
  if (marks.has(key, now) || !fitsMemory(bytes)) {
    return { etag, body: bodyStream(head, repairing(list, load, reader)) };
  }
  marks.set(key, now);
  try {
    const body = await wholeBody(head, load);
    bodies.keep(key, body, bytes);
    return { etag, body };
  } finally {
    marks.delete(key);
  }
}

/** Wraps `load`: if KV lacks a block, the answer breaks off, and the list is published again. */
function repairing(
  list: ListName,
  load: (block: Block) => Promise<Uint8Array<ArrayBuffer>>,
  reader: Reader,
): typeof load {
  return async (block) => {
    try {
      return await load(block);
    } catch (error) {
      if (error instanceof MissingBlockError) reader.later(republish(list, reader, 'broken'));
      throw error;
    }
  };
}

/** Why a list is read from the database: KV has no such list, lacks a part of it, or fails. */
type Trouble = 'empty' | 'broken' | 'failing';

/** Publishes a list that a reader found missing or broken, unless another request is doing so. */
export async function republish(list: ListName, reader: Reader, trouble: Trouble): Promise<void> {
  const { marks } = memoryOf(reader);
  const mark = `publish ${list}`;
  const now = reader.clock().getTime();
  if (trouble === 'failing' || marks.has(mark, now)) return;
  marks.set(mark, now);
  try {
    const isForced = trouble === 'broken';
    await publish(reader.db(), reader.kv, [list], reader.clock, { isForced });
  } finally {
    marks.delete(mark);
  }
}

interface Build {
  etag: string;
  body: Uint8Array<ArrayBuffer>;
}

/** Builds under way. Other requests wait for them, but not for ever: the request that builds may have been cut off. */
const builds = new WeakMap<
  KVNamespace,
  Map<ListName, { built: Promise<Build>; startedAt: number }>
>();
const buildMilliseconds = 30_000;

/** Builds the list, once for all requests that ask for it at the same time, and publishes it after the answer. */
async function readFromDatabase(
  list: ListName,
  reader: Reader,
  isKnown: IsKnown,
  trouble: Trouble,
): Promise<ReadList> {
  const now = reader.clock().getTime();
  const underWay = builds.get(reader.kv) ?? new Map();
  builds.set(reader.kv, underWay);
  let build = underWay.get(list);
  if (!build || now - build.startedAt > buildMilliseconds) {
    build = { built: buildBody(list, reader), startedAt: now };
    underWay.set(list, build);
    // The build goes on for those who wait for it, even if the client that asked first has gone.
    reader.later(
      build.built.then(
        () => republish(list, reader, trouble),
        () => {},
      ),
    );
  }
  try {
    const { etag, body }: Build = await build.built;
    memoryOf(reader).keep(list, reader.clock().getTime(), { etag, head: undefined });
    memoryOf(reader).bodies.keep(bodyKey(list, etag), body, body.byteLength);
    return { etag, body: isKnown(etag) ? undefined : body };
  } finally {
    if (underWay.get(list) === build) underWay.delete(list);
  }
}

/** The list as it is in the database, with the ETag that it will have when it is published. */
async function buildBody(list: ListName, { db, clock }: Reader): Promise<Build> {
  const data = new Map<string, Uint8Array<ArrayBuffer>>();
  const save = async (entries: Entry[]): Promise<Block> => {
    const { block, value } = await buildBlock('', entries);
    data.set(block.digest, openBlock(value.buffer).data);
    return block;
  };
  const built = await buildLists(db(), [{ list, save, atHand: [] }], dayOf(clock()));
  const blocks = built.get(list) ?? [];
  if (blocks instanceof Error) throw blocks;
  const head = await createHead(list, '', blocks);
  const body = await wholeBody(head, async ({ digest }) => data.get(digest) ?? new Uint8Array());
  return { etag: head.etag, body };
}
