import type { Env } from '../env.ts';
import { logUnexpected } from '../log.ts';
import type { ListName } from '../public-list/lists.ts';
import { publishAndPurge } from '../public-list/publish/publish-and-purge.ts';
import type { AppContext } from './context.ts';

/** A publication under way in this isolate, and the lists that have changed since it last looked. */
interface Run {
  startedAt: number;
  waiting: Set<ListName>;
}

const runs = new WeakMap<KVNamespace, Run>();

const pauseMilliseconds = 500;

/** For how long a run accepts more lists: the platform ends work after a response at 30 seconds. */
const joinableMilliseconds = 10_000;

/**
 * Publishes the lists after the response. A failure is logged, and the next run repairs it. However many changes come at
 * once, this isolate publishes one after the other, because KV accepts one write a second for a key.
 */
export function publishAfterResponse(c: AppContext, lists: readonly ListName[]): void {
  const { env, executionCtx } = c;
  const current = runs.get(env.LISTS);
  if (current && Date.now() - current.startedAt < joinableMilliseconds) {
    for (const list of lists) current.waiting.add(list);
    return;
  }
  const run: Run = { startedAt: Date.now(), waiting: new Set(lists) };
  runs.set(env.LISTS, run);
  executionCtx.waitUntil(finish(run, env, executionCtx, c.var.requestId));
}

async function finish(run: Run, env: Env, context: object, requestId: string): Promise<void> {
  while (run.waiting.size > 0) {
    const lists = [...run.waiting];
    run.waiting.clear();
    try {
      await publishTwice(env, context, lists);
    } catch (error) {
      logUnexpected(error, requestId);
    }
  }
  if (runs.get(env.LISTS) === run) runs.delete(env.LISTS);
}

/** What failed is tried once more, after a pause: the cron, which would repair it, may be an hour away. */
async function publishTwice(env: Env, context: object, lists: ListName[]): Promise<void> {
  try {
    await publishAndPurge(env, context, lists);
  } catch {
    await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
    await publishAndPurge(env, context, lists);
  }
}
