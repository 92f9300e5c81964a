import { openDatabase } from '../../base/database/open.ts';
import { retry } from '../../base/database/retry.ts';
import type { Env } from '../../base/env.ts';
import { writeLog } from '../../base/log.ts';
import { publicationPoint, writePoint } from '../../base/metrics.ts';
import { currentTime } from '../../base/time/clock.ts';
import { dayOf } from '../../base/time/day.ts';
import { buildLists } from '../entries.ts';
import type { Published } from '../format/head.ts';
import { MissingBlockError, readPublished, StaleError } from '../kv.ts';
import { cacheTag, type ListName } from '../lists.ts';
import { expireCopies } from '../read/memory.ts';
import { putHead } from '../stored.ts';
import {
  completeList,
  type Draft,
  type PublicationResult,
  type PublishContext,
  type Round,
  updateList,
} from './draft.ts';
import { isBehind, readSource } from './source.ts';

const maximumRounds = 8;

/**
 * A longer round begins again, because replaced keys are deleted after eight days. A round that passes midnight begins
 * again, because a list must not have a date on which readers did not get it.
 */
const maximumRoundMilliseconds = 60 * 60 * 1000;

interface Progress {
  list: ListName;
  /** Undefined if unknown, null if KV has none. */
  inKv: Published | null | undefined;
  isForced: boolean;
  isWritten: boolean;
  error?: Error;
}

/**
 * Brings lists in KV up to date, even if others publish at the same time. Returns the lists that it wrote. Without
 * changes, costs one small query and one listing of KV's keys. A failing list keeps its last published content; this
 * throws after the others.
 */
export async function publish(
  context: PublishContext,
  lists: readonly ListName[],
  { isForced = false } = {},
): Promise<ListName[]> {
  const { db, kv, clock } = context;
  const progress = lists.map(
    (list): Progress => ({ list, inKv: undefined, isForced, isWritten: false }),
  );
  for (let rounds = 0; rounds < maximumRounds; rounds++) {
    const round = newRound(context);
    const pending = progress.filter(({ error }) => !error);
    const [source] = await Promise.all([
      retry(() => readSource(db, clock())),
      lookAtKv(kv, pending),
    ]);
    const behind = pending.filter((state) => state.isForced || isBehind(state, source));
    if (behind.length === 0) {
      throwErrors(progress);
      return progress.filter(({ isWritten }) => isWritten).map(({ list }) => list);
    }
    const rest: { state: Progress; draft: Draft }[] = [];
    for (const state of behind) {
      const draft = await putHeadOf(round, state, updateList(round, state, source));
      if (draft) rest.push({ state, draft });
    }
    const works = rest.map(({ draft: { list, writer } }) => ({ list, save: writer.save }));
    const building = buildLists(db, works, source.day);
    for (const { state, draft } of rest) {
      await putHeadOf(round, state, completeList(round, draft, building, source));
    }
  }
  throwErrors(progress);
  throw new Error(`lists ${lists.join(', ')} change faster than they are published`);
}

/**
 * Makes readers see a recorded list. Returns the draft of a list that must be built. After a failure, the next round
 * looks again.
 */
async function putHeadOf(
  round: Round,
  state: Progress,
  publishing: Promise<PublicationResult | Draft>,
): Promise<Draft | undefined> {
  try {
    const result = await publishing;
    if (!result || !('head' in result)) return result;
    await putHead(round.kv, result, round.expectInTime);
    Object.assign(state, { inKv: result.metadata, isWritten: true, isForced: false });
  } catch (error) {
    Object.assign(state, afterFailure(state, error));
  }
  return undefined;
}

function afterFailure({ list, isForced }: Progress, cause: unknown): Partial<Progress> {
  if (cause instanceof StaleError) return { inKv: undefined };
  if (cause instanceof MissingBlockError && !isForced) return { isForced: true };
  return { error: new Error(`list ${list} was not published`, { cause }) };
}

function newRound(context: PublishContext): Round {
  const { clock } = context;
  const startedAt = clock();
  const expectInTime = () => {
    const elapsed = clock().getTime() - startedAt.getTime();
    if (elapsed > maximumRoundMilliseconds) throw new StaleError('took more than an hour');
    if (dayOf(clock()) !== dayOf(startedAt)) throw new StaleError('took until the next day');
  };
  return { ...context, expectInTime };
}

/** Locally, no cache is in front of the Worker. */
export interface PurgeContext {
  cache?: Pick<CacheContext, 'purge'>;
}

/**
 * Publishes from a Worker, and writes a data point for each list written or failed. Then expires the old copies in this
 * isolate and in the platform's cache. Throws what `publish` throws.
 */
export async function publishAndPurge(
  env: Pick<Env, 'DB' | 'LISTS' | 'METRICS'>,
  { cache }: PurgeContext,
  lists: readonly ListName[],
  { isForced = false } = {},
): Promise<void> {
  const startedAt = Date.now();
  const measure = (group: readonly ListName[], outcome: 'published' | 'failed') => {
    const milliseconds = Date.now() - startedAt;
    for (const list of group) writePoint(env, publicationPoint(list, outcome, milliseconds));
  };
  const db = openDatabase(env.DB);
  const publishing = publish({ db, kv: env.LISTS, clock: currentTime }, lists, { isForced });
  const changedLists = await publishing.catch((error) => {
    measure(lists, 'failed');
    throw error;
  });
  measure(changedLists, 'published');
  if (changedLists.length === 0) return;
  expireCopies(env.LISTS, changedLists);
  // A refused purge is only a warning: cached answers expire within seconds.
  const result = await cache?.purge({ tags: changedLists.map(cacheTag) });
  if (!result || result.success) return;
  const reasons = result.errors.map(({ code, message }) => `${code} ${message}`);
  writeLog('warn', { event: 'purge_refused', lists: changedLists, reasons });
}

async function lookAtKv(kv: KVNamespace, progress: readonly Progress[]): Promise<void> {
  const unknown = progress.filter(({ inKv }) => inKv === undefined);
  if (unknown.length === 0) return;
  const published = await readPublished(kv);
  for (const state of unknown) state.inKv = published.get(state.list) ?? null;
}

function throwErrors(progress: readonly Progress[]): void {
  const errors = progress.flatMap(({ error }) => error ?? []);
  if (errors.length === 0) return;
  throw new AggregateError(errors, errors.map(({ message }) => message).join('; '));
}
