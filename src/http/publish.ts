import { pause } from '../database/retry.ts';
import { logUnexpected } from '../log.ts';
import type { ListName } from '../public-list/lists.ts';
import { type PurgeContext, publishAndPurge } from '../public-list/publish/publish.ts';
import type { AppContext } from './context.ts';

/** Publishing under way in this isolate, and the lists that wait for their turn. */
interface Run {
  startedAt: number;
  waiting: Set<ListName>;
  /** Whether to write those lists again, whatever KV seems to hold. */
  isForced: boolean;
}

const runs = new WeakMap<KVNamespace, Run>();

const pauseMilliseconds = 500;

/** For how long a run accepts more lists: the platform ends work after a response at 30 seconds. */
const joinableMilliseconds = 10_000;

/**
 * Publishes the lists after the response. A failure is logged, and the next run repairs it. However many changes come at
 * once, this isolate publishes one after the other, because KV accepts one write a second for a key.
 */
export function publishAfterResponse(
  c: AppContext,
  lists: readonly ListName[],
  { isForced = false } = {},
): void {
  const { env, executionCtx } = c;
  const current = runs.get(env.LISTS);
  if (current && Date.now() - current.startedAt < joinableMilliseconds) {
    for (const list of lists) current.waiting.add(list);
    current.isForced ||= isForced;
    return;
  }
  const run: Run = { startedAt: Date.now(), waiting: new Set(lists), isForced };
  runs.set(env.LISTS, run);
  const work = async () => {
    while (run.waiting.size > 0) {
      const next = [...run.waiting];
      const how = { isForced: run.isForced };
      run.waiting.clear();
      run.isForced = false;
      const attempt = () => publishAndPurge(env, executionCtx as PurgeContext, next, how);
      // The cron, which repairs what fails twice, may be an hour away.
      await attempt()
        .catch(() => pause(pauseMilliseconds).then(attempt))
        .catch((error) => logUnexpected(error, c.var.requestId));
    }
    if (runs.get(env.LISTS) === run) runs.delete(env.LISTS);
  };
  executionCtx.waitUntil(work());
}
