import type { Meter } from '../database/meter.ts';
import type { Database } from '../database/open.ts';
import { type BuiltList, buildList } from './build.ts';
import type { ListName } from './lists.ts';
import { type Published, publish } from './publish.ts';
import { readSource } from './source.ts';

/** A list as it is answered; no body for a client that has it already. */
export interface ReadList {
  etag: string;
  /** Gzip. */
  body: Uint8Array<ArrayBuffer> | ReadableStream | undefined;
}

/** For how long a copy in memory stands for what KV holds. */
const copyMilliseconds = 5_000;
/** The least that KV allows: for how long a location may keep what it has read. */
const kvCacheSeconds = 30;
/** All the bodies that the isolate keeps, compressed; a list that does not fit is streamed from KV each time. */
const maximumCopyBytes = 16 * 1024 * 1024;

/** For how long a build is waited for by requests other than the one that began it. */
const buildMilliseconds = 30_000;

/** What an isolate remembers of one list. */
interface Copy {
  etag: string;
  body?: Uint8Array<ArrayBuffer> | undefined;
  freshUntil: number;
}

/** What an isolate remembers of the lists in one KV namespace. */
class Memory {
  readonly #copies = new Map<ListName, Copy>();
  /** Builds under way where KV is empty or down: requests that come meanwhile wait for them. */
  readonly builds = new Map<ListName, { built: Promise<BuiltList>; startedAt: number }>();
  /** Bodies on their way into memory: one request at a time fetches one, or they would add up. */
  readonly fetching = new Set<ListName>();

  find(list: ListName): Copy | undefined {
    return this.#copies.get(list);
  }

  /** Keeps the body too if all bodies together stay within their limit. */
  keep(list: ListName, now: number, etag: string, body?: Uint8Array<ArrayBuffer>): void {
    const fits = body && this.hasRoomFor(list, body.byteLength);
    const freshUntil = now + copyMilliseconds;
    this.#copies.set(list, { etag, body: fits ? body : undefined, freshUntil });
  }

  hasRoomFor(list: ListName, bytes: number): boolean {
    let total = bytes;
    for (const [other, { body }] of this.#copies) {
      if (other !== list) total += body?.byteLength ?? 0;
    }
    return total <= maximumCopyBytes;
  }

  expire(list: ListName): void {
    const copy = this.#copies.get(list);
    if (copy) copy.freshUntil = 0;
  }
}

const memories = new WeakMap<KVNamespace, Memory>();

function memoryOf(kv: KVNamespace): Memory {
  let memory = memories.get(kv);
  if (!memory) {
    memory = new Memory();
    memories.set(kv, memory);
  }
  return memory;
}

/** What this isolate remembers of the lists is no longer up to date. */
export function expireCopies(kv: KVNamespace, lists: readonly ListName[]): void {
  for (const list of lists) memories.get(kv)?.expire(list);
}

/** The list's ETag, if this isolate has learnt it within the last few seconds. */
export function recallEtag(
  kv: KVNamespace,
  list: ListName,
  nowMilliseconds: number,
): string | undefined {
  const copy = memories.get(kv)?.find(list);
  return copy && copy.freshUntil > nowMilliseconds ? copy.etag : undefined;
}

/** What reading a list depends on. */
export interface Reader {
  db: () => Database;
  kv: KVNamespace;
  meter: Meter;
  clock: () => Date;
  /** Whether the client has the list with this ETag. */
  isKnown: (etag: string) => boolean;
  /** Runs what the answer does not wait for. */
  later: (work: Promise<unknown>) => void;
}

/**
 * The list as it was last published, from a copy in memory that is a few seconds old, or with one read of KV and
 * none of the database. Where KV holds none, it is built from the database and stored; where KV fails, an older copy
 * does, or the database.
 */
export async function readList(list: ListName, reader: Reader): Promise<ReadList> {
  const copy = memoryOf(reader.kv).find(list);
  if (copy && copy.freshUntil > reader.clock().getTime()) {
    const answer = answerFrom(copy, reader);
    if (answer) return answer;
  }
  let found: { value: ReadableStream | null; metadata: Published | null };
  reader.meter.kvReads += 1;
  try {
    found = await reader.kv.getWithMetadata<Published>(list, {
      type: 'stream',
      cacheTtl: kvCacheSeconds,
    });
  } catch (error) {
    return (copy && answerFrom(copy, reader)) ?? (await readFromDatabase(list, reader, error));
  }
  const { value, metadata } = found;
  if (!value || !metadata) return readFromDatabase(list, reader, undefined);
  return answerWith(list, value, metadata, copy, reader);
}

/** The answer if the copy has all that it takes. */
function answerFrom({ etag, body }: Copy, { isKnown }: Reader): ReadList | undefined {
  if (isKnown(etag)) return { etag, body: undefined };
  return body && { etag, body };
}

async function answerWith(
  list: ListName,
  value: ReadableStream,
  { etag, bytes }: Published,
  copy: Copy | undefined,
  { kv, clock, isKnown }: Reader,
): Promise<ReadList> {
  const memory = memoryOf(kv);
  const now = clock().getTime();
  const kept = copy?.etag === etag ? copy.body : undefined;
  const isAnswered = isKnown(etag);
  if (isAnswered || kept) {
    await value.cancel();
    memory.keep(list, now, etag, kept);
    return { etag, body: isAnswered ? undefined : kept };
  }
  if (memory.fetching.has(list) || !memory.hasRoomFor(list, bytes)) {
    return { etag, body: value };
  }
  memory.fetching.add(list);
  try {
    const body = new Uint8Array(await new Response(value).arrayBuffer());
    memory.keep(list, now, etag, body);
    return { etag, body };
  } finally {
    memory.fetching.delete(list);
  }
}

/** Builds the list, once for all requests that ask for it meanwhile, and stores it if KV is only empty. */
async function readFromDatabase(
  list: ListName,
  reader: Reader,
  kvError: unknown,
): Promise<ReadList> {
  const memory = memoryOf(reader.kv);
  const now = reader.clock().getTime();
  let build = memory.builds.get(list);
  // One whose request was cut off never ends: after a while it is no longer waited for.
  if (!build || now - build.startedAt > buildMilliseconds) {
    build = { built: buildAndStore(list, reader, kvError), startedAt: now };
    memory.builds.set(list, build);
    // Whoever waits still gets it when the client that asked first has gone.
    reader.later(build.built.catch(() => {}));
  }
  const { built } = build;
  try {
    const { etag, body } = await built;
    memory.keep(list, reader.clock().getTime(), etag, body);
    return { etag, body: reader.isKnown(etag) ? undefined : body };
  } finally {
    if (memory.builds.get(list)?.built === built) memory.builds.delete(list);
  }
}

async function buildAndStore(
  list: ListName,
  { db, kv, clock, later }: Reader,
  kvError: unknown,
): Promise<BuiltList> {
  const source = await readSource(db(), clock());
  const built = await buildList(db(), list, source);
  if (kvError === undefined) later(publish(db(), kv, [list], clock, new Map([[list, built]])));
  return built;
}
