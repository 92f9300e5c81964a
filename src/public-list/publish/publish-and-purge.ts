import { currentTime } from '../../clock.ts';
import { openDatabase } from '../../database/open.ts';
import type { Env } from '../../env.ts';
import { writeLog } from '../../log.ts';
import { publicationPoint, writePoint } from '../../metrics.ts';
import { cacheTag, type ListName } from '../lists.ts';
import { expireCopies } from '../read/memory.ts';
import { publish } from './publish.ts';

/** The part of an execution context that publishing uses. Locally, there is no cache in front of the Worker. */
export interface PurgeContext {
  cache?: Pick<CacheContext, 'purge'>;
}

/**
 * Publishes the lists from a Worker, and writes a data point for each list that was written or, if publishing fails, for
 * each of the lists. Then this isolate reads the new lists at once, and the old ones are purged from the platform's
 * cache. Throws what `publish` throws.
 */
export async function publishAndPurge(
  env: Pick<Env, 'DB' | 'LISTS' | 'METRICS'>,
  { cache }: PurgeContext,
  lists: readonly ListName[],
  { isForced = false } = {},
): Promise<void> {
  const startedAt = Date.now();
  const measure = (some: readonly ListName[], outcome: 'published' | 'failed') => {
    const milliseconds = Date.now() - startedAt;
    for (const list of some) writePoint(env, publicationPoint(list, outcome, milliseconds));
  };
  const db = openDatabase(env.DB);
  const publishing = publish(db, env.LISTS, lists, currentTime, { isForced });
  const written = await publishing.catch((error) => {
    measure(lists, 'failed');
    throw error;
  });
  measure(written, 'published');
  if (written.length === 0) return;
  expireCopies(env.LISTS, written);
  // A refused purge is only a warning, because cached answers expire within seconds anyway.
  const result = await cache?.purge({ tags: written.map(cacheTag) });
  if (!result || result.success) return;
  const reasons = result.errors.map(({ code, message }) => `${code} ${message}`);
  writeLog('warn', { event: 'purge_refused', lists: written, reasons });
}
