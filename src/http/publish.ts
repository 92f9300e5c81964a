import { openDatabase } from '../database.ts';
import type { Env } from '../env.ts';
import { publish } from '../public-list/publish.ts';
import { expireCopies } from '../public-list/read.ts';
import type { ListName } from '../public-list/source.ts';
import type { AppContext } from './context.ts';
import { logUnexpected } from './log.ts';

/** Publishes the lists once the response is on its way; a failure is logged, and left to the next run to repair. */
export function publishAfterResponse(c: AppContext, lists: readonly ListName[]): void {
  c.executionCtx.waitUntil(
    publishLists(c.env, c.executionCtx, lists).catch((error) =>
      logUnexpected(error, c.var.requestId),
    ),
  );
}

/** Publishes the lists, and has the platform's cache forget those that changed. Throws as `publish` does. */
export async function publishLists(
  env: Env,
  context: object,
  lists: readonly ListName[],
): Promise<void> {
  const written = await publish(openDatabase(env.DB), env.LISTS, lists, () => new Date());
  if (written.length === 0) return;
  expireCopies(env.LISTS, written);
  await forget(context, written);
}

/** The tag that responses of a list carry in the platform's cache. */
export function cacheTag(list: ListName): string {
  return `list-${list}`;
}

/** A purge is an extra: without it, what is cached expires within its few seconds. There is no cache locally. */
async function forget(context: { cache?: CacheContext }, lists: ListName[]): Promise<void> {
  const result = await context.cache?.purge({ tags: lists.map(cacheTag) });
  if (result && !result.success) {
    const reasons = result.errors.map(({ code, message }) => `${code} ${message}`);
    logUnexpected(new Error(`cache purge refused: ${reasons.join('; ')}`), undefined);
  }
}
