import { pause } from '../../../base/database/retry.ts';
import { logUnexpected } from '../../../base/log.ts';
import { onFirstUseOf } from '../../../base/on-first-use.ts';
import { isRecent } from '../../../base/time/clock.ts';
import type { ListName } from '../../../list/lists.ts';
import { type PurgeContext, publishAndPurge } from '../../../list/publish/publish.ts';
import type { AppContext } from './context.ts';

interface Run {
  startedAt: number;
  waiting: Set<ListName>;
  isForced: boolean;
}

const runs = new WeakMap<KVNamespace, Run>();

const pauseMilliseconds = 500;

/** The time of each list's last repair. For a while, locations may still read the head without a block. */
const repairsOf = onFirstUseOf((_: KVNamespace) => new Map<ListName, number>());

const repairMilliseconds = 30_000;

/** How long a run accepts more lists: the platform ends work 30 seconds after a response. */
const joinableMilliseconds = 10_000;

/**
 * Publishes the lists after the response. A failure is logged, and repaired by the next run or a repeated call. An isolate never publishes in
 * parallel, because KV accepts one write a second for a key.
 */
export function publishAfterResponse(
  c: AppContext,
  lists: readonly ListName[],
  { isForced = false } = {},
): void {
  const { env, executionCtx } = c;
  const wanted = isForced ? lists.filter((list) => isRepairDue(env.LISTS, list)) : lists;
  if (wanted.length === 0) return;
  const current = runs.get(env.LISTS);
  const isJoinable = current && isRecent(current.startedAt, Date.now(), joinableMilliseconds);
  const run: Run = isJoinable
    ? current
    : { startedAt: Date.now(), waiting: new Set(), isForced: false };
  for (const list of wanted) run.waiting.add(list);
  run.isForced ||= isForced;
  if (isJoinable) return;
  runs.set(env.LISTS, run);
  const work = async () => {
    while (run.waiting.size > 0) {
      const next = [...run.waiting];
      const how = { isForced: run.isForced };
      run.waiting.clear();
      run.isForced = false;
      const attempt = () => publishAndPurge(env, executionCtx as PurgeContext, next, how);
      // The next run of the cron, which repairs a second failure, may be an hour away.
      await attempt()
        .catch(() => pause(pauseMilliseconds).then(attempt))
        .catch((error) => logUnexpected(error, c.var.requestId));
    }
    if (runs.get(env.LISTS) === run) runs.delete(env.LISTS);
  };
  executionCtx.waitUntil(work());
}

/** Notes a repair of the list now, if one is due. */
function isRepairDue(kv: KVNamespace, list: ListName): boolean {
  const repairs = repairsOf(kv);
  const isDue = !isRecent(repairs.get(list) ?? 0, Date.now(), repairMilliseconds);
  if (isDue) repairs.set(list, Date.now());
  return isDue;
}
