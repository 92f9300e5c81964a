import type { Database } from '../../database/open.ts';
import { retried } from '../../database/retry.ts';
import { headPrefix, type Published, putHead } from '../format/head.ts';
import { type ListName, listNames } from '../lists.ts';
import { type Base, type Outcome, rebuildLists, type Tools, updateList } from './publication.ts';
import { findPublication, isKnownPublication } from './record.ts';
import { type PublicationRecord, readSource, type Source } from './source.ts';
import { MissingBlockError } from './writer.ts';

export interface ListStatus {
  list: ListName;
  published: Published | undefined;
  /** Whether the source has changed since the list was published. */
  isBehind: boolean;
}

/** After this many rounds, a list that keeps changing while it is published is given up. */
const maximumRounds = 8;

/** How far the publishing of one list has come. */
interface Progress {
  list: ListName;
  /** The publication that KV holds: undefined if it is not known, null if there is none. */
  inKv: string | null | undefined;
  /** Whether to write everything again, without relying on anything that KV holds. */
  isForced: boolean;
  isWritten: boolean;
  /** Why the list was given up. */
  error?: Error;
}

/**
 * Brings the lists in KV up to date with their sources, even if others publish at the same time, and returns the lists
 * that it wrote. Writes only what has changed, or everything with `isForced`. If nothing has changed, it costs one
 * small query and one listing of KV's keys. A list that fails keeps its last published content, does not hold up the
 * others, and is repaired by the next run; in the end this throws.
 */
export async function publish(
  db: Database,
  kv: KVNamespace,
  lists: readonly ListName[],
  clock: () => Date,
  { isForced = false } = {},
): Promise<ListName[]> {
  const tools: Tools = { db, kv, clock };
  const progress = lists.map(
    (list): Progress => ({ list, inKv: undefined, isForced, isWritten: false }),
  );
  for (let round = 0; round < maximumRounds; round++) {
    const pending = progress.filter(({ error }) => !error);
    const [source] = await Promise.all([
      retried(() => readSource(db, clock())),
      lookAtKv(kv, pending),
    ]);
    const behind = pending.filter((state) => state.isForced || isBehind(state, source));
    if (behind.length === 0) {
      throwErrors(progress);
      return progress.filter(({ isWritten }) => isWritten).map(({ list }) => list);
    }
    await renew(tools, behind, source);
  }
  throwErrors(progress);
  throw new Error(`lists ${lists.join(', ')} change faster than they are published`);
}

/** What is published of each list, and whether the list is behind its source. */
export async function listStatus(db: Database, kv: KVNamespace, now: Date): Promise<ListStatus[]> {
  const [source, published] = await Promise.all([readSource(db, now), readPublished(kv)]);
  return listNames.map((list) => ({
    list,
    published: published.get(list),
    isBehind: isBehind({ list, inKv: published.get(list)?.publication }, source),
  }));
}

/**
 * Whether a list is behind its source. KV's listing may be a minute old, and a slow publisher may have put back an
 * older head. So a list counts as up to date only if KV and the record in the database agree.
 */
export function isBehind(
  { list, inKv }: Pick<Progress, 'list' | 'inKv'>,
  { records, versions }: Source,
): boolean {
  const record = records[list];
  return record?.sourceVersion !== versions[list] || record.publication !== inKv;
}

/** Looks up which publications KV holds, where that is not known. */
async function lookAtKv(kv: KVNamespace, progress: readonly Progress[]): Promise<void> {
  const unknown = progress.filter(({ inKv }) => inKv === undefined);
  if (unknown.length === 0) return;
  const published = await readPublished(kv);
  for (const state of unknown) state.inKv = published.get(state.list)?.publication ?? null;
}

/** The metadata of all heads, by list, in one operation of KV. */
export async function readPublished(kv: KVNamespace): Promise<Map<string, Published | undefined>> {
  const { keys } = await kv.list<Published>({ prefix: headPrefix });
  return new Map(keys.map(({ name, metadata }) => [name.slice(headPrefix.length), metadata]));
}

/** Does the next step for each list: updates it, builds it again, or puts its head into KV again. */
async function renew(tools: Tools, behind: readonly Progress[], source: Source): Promise<void> {
  const { records, versions } = source;
  const rebuilt: { state: Progress; base: Base }[] = [];
  for (const state of behind) {
    await noting(state, async () => {
      const { list, inKv } = state;
      const record = records[list];
      const isTrusted = !state.isForced && (await isTrustworthy(tools, inKv, record));
      if (!record || !isTrusted) rebuilt.push({ state, base: { list, record, isTrusted } });
      else if (record.sourceVersion === versions[list]) await putAgain(tools, state, record);
      else {
        const outcome = await updateList(tools, list, record);
        if (outcome === 'too much') rebuilt.push({ state, base: { list, record, isTrusted } });
        else note(state, outcome);
      }
    });
  }
  if (rebuilt.length === 0) return;
  const bases = rebuilt.map(({ base }) => base);
  const outcomes = await rebuildLists(tools, bases, source);
  for (const { state } of rebuilt) {
    await noting(state, async () => {
      const outcome = outcomes.get(state.list);
      if (outcome instanceof Error) throw outcome;
      if (outcome) note(state, outcome);
    });
  }
}

/**
 * Whether KV has the blocks that the record names. If KV holds a publication that the database does not know, the
 * database was restored, and the sweep may have deleted those blocks since.
 */
async function isTrustworthy(
  { db }: Tools,
  inKv: string | null | undefined,
  record: PublicationRecord | undefined,
): Promise<boolean> {
  if (!record || !inKv) return false;
  return inKv === record.publication || isKnownPublication(db, inKv);
}

/** Puts the head of the recorded publication again: its publisher was killed before, or a slow one overwrote it. */
async function putAgain(
  { db, kv }: Tools,
  state: Progress,
  { publication }: PublicationRecord,
): Promise<void> {
  const kept = await findPublication(db, state.list, publication);
  if (!kept) return;
  await putHead(kv, kept);
  note(state, { publication });
}

function note(state: Progress, outcome: Outcome): void {
  if (typeof outcome === 'string') return;
  state.inKv = outcome.publication;
  state.isWritten = true;
  state.isForced = false;
}

/** Records why the work on a list failed. If a block was missing, the list is built again instead. */
async function noting(state: Progress, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof MissingBlockError && !state.isForced) state.isForced = true;
    else state.error = new Error(`list ${state.list} was not published`, { cause: error });
  }
}

function throwErrors(progress: readonly Progress[]): void {
  const errors = progress.flatMap(({ error }) => error ?? []);
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) {
    throw new AggregateError(errors, errors.map(({ message }) => message).join('; '));
  }
}
