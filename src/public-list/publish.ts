import { sql } from 'drizzle-orm';
import { listBuilds } from '../../drizzle/schema.ts';
import type { Database } from '../database/open.ts';
import { type Build, type BuiltList, buildLists } from './build.ts';
import { type ListName, listNames } from './lists.ts';
import { readSource, type Source } from './source.ts';

/** What KV holds beside the body of a published list. */
export interface Published {
  /** Weak, as it stands in the header. */
  etag: string;
  count: number;
  sourceVersion: string;
  /** ISO 8601. */
  publishedAt: string;
  /** Of the body, compressed. */
  bytes: number;
}

export interface ListStatus {
  list: ListName;
  published: Published | undefined;
  /** Whether the source has changed the list since. */
  isBehind: boolean;
}

/** Rounds after which a list that changes faster than it is built is given up. */
const maximumRounds = 8;
/** Rounds in which a build that the source overtook is thrown away rather than published. */
const patientRounds = 3;
const maximumPuts = 3;
/** KV takes one write a second for a key. */
const pauseMilliseconds = 1_100;

/** Where the publishing of one list stands. */
interface Progress {
  list: ListName;
  /** Undefined where it is not known what KV holds, null where it holds nothing. */
  published?: Published | null | undefined;
  failedPuts: number;
  /** Why the list was given up. */
  error?: Error;
}

/**
 * Makes KV hold the lists as their sources are when it returns, whoever publishes at the same time, and writes
 * only where the content has changed. Returns the lists that it wrote. Where nothing changed, it costs one small
 * query and one listing of KV's keys. Lists that fail don't hold up the others; then it throws, their last published
 * content stays, and the next run repairs them. A build at hand is used if it is of the source's version.
 */
export async function publish(
  db: Database,
  kv: KVNamespace,
  lists: readonly ListName[],
  clock: () => Date,
  atHand: Build = new Map(),
): Promise<ListName[]> {
  const progress = lists.map((list): Progress => ({ list, failedPuts: 0 }));
  const written = new Set<ListName>();
  for (let round = 0; round < maximumRounds; round++) {
    const pending = progress.filter(({ error }) => !error);
    const [source] = await Promise.all([readSource(db, clock()), lookAtKv(kv, pending)]);
    const behind = pending.filter(({ list, published }) => isBehind(list, published, source));
    if (behind.length === 0) {
      throwErrors(progress);
      return [...written];
    }
    const names = behind.map(({ list }) => list);
    const build = isOf(source, atHand, names) ? atHand : await buildLists(db, names, source);
    const overtaken = round < patientRounds ? await overtakenSince(db, source, clock) : [];
    const unchanged: [ListName, BuiltList][] = [];
    for (const state of behind) {
      const { list } = state;
      const built = build.get(list);
      if (!built) throw new Error(`list ${list} was not built`);
      if (built instanceof Error) state.error = built;
      else if (overtaken.includes(list)) continue;
      else if (built.etag === state.published?.etag) unchanged.push([list, built]);
      else if (await write(kv, list, built, clock, state)) written.add(list);
    }
    await recordBuilds(db, unchanged);
  }
  throwErrors(progress);
  throw new Error(`lists ${lists.join(', ')} change faster than they are published`);
}

/** What is published of each list, and whether it is behind its source. */
export async function listStatus(db: Database, kv: KVNamespace, now: Date): Promise<ListStatus[]> {
  const [source, published] = await Promise.all([readSource(db, now), readPublished(kv)]);
  return listNames.map((list) => ({
    list,
    published: published.get(list),
    isBehind: isBehind(list, published.get(list), source),
  }));
}

async function store(
  kv: KVNamespace,
  list: ListName,
  { body, etag, count, sourceVersion }: BuiltList,
  now: Date,
): Promise<Published> {
  const bytes = body.byteLength;
  const metadata: Published = {
    etag,
    count,
    sourceVersion,
    publishedAt: now.toISOString(),
    bytes,
  };
  await kv.put(list, body, { metadata });
  return metadata;
}

/** Whether the build has all these lists as their source is. */
function isOf({ versions }: Source, build: Build, lists: readonly ListName[]): boolean {
  return lists.every((list) => {
    const built = build.get(list);
    return built && !(built instanceof Error) && built.sourceVersion === versions[list];
  });
}

/**
 * The version in KV's own metadata is the truth about what KV holds, so that an older publisher that wrote last is
 * noticed. A change which left the content as it was is known by the build recorded in the database.
 */
function isBehind(
  list: ListName,
  published: Published | null | undefined,
  { versions, builds }: Source,
): boolean {
  if (!published) return true;
  if (published.sourceVersion === versions[list]) return false;
  const build = builds[list];
  return build?.sourceVersion !== versions[list] || build.etag !== published.etag;
}

/** Fills in what KV holds where it is not known. */
async function lookAtKv(kv: KVNamespace, progress: readonly Progress[]): Promise<void> {
  const unknown = progress.filter(({ published }) => published === undefined);
  if (unknown.length === 0) return;
  const published = await readPublished(kv);
  for (const state of unknown) state.published = published.get(state.list) ?? null;
}

/** Listing the keys gives the metadata of all of them in one operation, and none of the bodies. */
async function readPublished(kv: KVNamespace): Promise<Map<string, Published | undefined>> {
  const { keys } = await kv.list<Published>();
  return new Map(keys.map(({ name, metadata }) => [name, metadata]));
}

/** The lists whose source is no longer what they were built from: they may mix an old page with a new one. */
async function overtakenSince(db: Database, { versions }: Source, clock: () => Date) {
  const now = await readSource(db, clock());
  return listNames.filter((list) => now.versions[list] !== versions[list]);
}

/** Whether the list was written. After a failure it is looked up what KV holds: a put may have come through. */
async function write(
  kv: KVNamespace,
  list: ListName,
  built: BuiltList,
  clock: () => Date,
  state: Progress,
): Promise<boolean> {
  try {
    state.published = await store(kv, list, built, clock());
    return true;
  } catch (error) {
    state.published = undefined;
    state.failedPuts += 1;
    if (state.failedPuts === maximumPuts) {
      state.error = new Error(`list ${list} was not written`, { cause: error });
    } else {
      await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
    }
    return false;
  }
}

async function recordBuilds(db: Database, builds: [ListName, BuiltList][]): Promise<void> {
  if (builds.length === 0) return;
  await db
    .insert(listBuilds)
    .values(builds.map(([list, { sourceVersion, etag }]) => ({ list, sourceVersion, etag })))
    .onConflictDoUpdate({
      target: listBuilds.list,
      set: { sourceVersion: sql`excluded.source_version`, etag: sql`excluded.etag` },
    });
}

function throwErrors(progress: readonly Progress[]): void {
  const errors = progress.flatMap(({ error }) => error ?? []);
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) {
    throw new AggregateError(errors, errors.map(({ message }) => message).join('; '));
  }
}
