import { openDatabase } from '../database/open.ts';
import type { Env } from '../env.ts';
import { writeLog } from '../log.ts';
import { cacheTag, type ListName } from './lists.ts';
import { publish } from './publish.ts';
import { expireCopies } from './recall.ts';

/** The part of an execution context that publishing uses. There is no cache before the Worker locally. */
export interface PurgeContext {
  cache?: Pick<CacheContext, 'purge'>;
}

/**
 * Publishes the lists from a Worker: this isolate reads what changed at once, and the platform's cache is purged of
 * it. Throws as `publish` does.
 */
export async function publishAndPurge(
  { DB, LISTS }: Pick<Env, 'DB' | 'LISTS'>,
  context: PurgeContext,
  lists: readonly ListName[],
): Promise<void> {
  const written = await publish(openDatabase(DB), LISTS, lists, () => new Date());
  if (written.length === 0) return;
  expireCopies(LISTS, written);
  await purge(context, written);
}

/** A refused purge is only a warning: without it, cached answers expire within seconds. */
async function purge({ cache }: PurgeContext, lists: readonly ListName[]): Promise<void> {
  const result = await cache?.purge({ tags: lists.map(cacheTag) });
  if (!result || result.success) return;
  const reasons = result.errors.map(({ code, message }) => `${code} ${message}`);
  writeLog('warn', { event: 'purge_refused', lists, reasons });
}
