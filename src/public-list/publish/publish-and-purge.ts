import { currentTime } from '../../clock.ts';
import { openDatabase } from '../../database/open.ts';
import type { Env } from '../../env.ts';
import { writeLog } from '../../log.ts';
import { publicationPoint, writePoint } from '../../metrics.ts';
import { cacheTag, type ListName } from '../lists.ts';
import { expireCopies } from '../read/recall.ts';
import { publish } from './publish.ts';

/** The part of an execution context that publishing uses. Locally, there is no cache in front of the Worker. */
export interface PurgeContext {
  cache?: Pick<CacheContext, 'purge'>;
}

/**
 * Publishes the lists from a Worker. Then this isolate reads the new lists at once, and the old ones are purged from
 * the platform's cache. Throws what `publish` throws.
 */
export async function publishAndPurge(
  env: Pick<Env, 'DB' | 'LISTS' | 'METRICS'>,
  context: PurgeContext,
  lists: readonly ListName[],
): Promise<void> {
  const written = await measuredPublish(env, lists);
  if (written.length === 0) return;
  expireCopies(env.LISTS, written);
  await purge(context, written);
}

/** Publishes, and writes a data point for each list that was written or, if publishing fails, for each of the lists. */
async function measuredPublish(
  env: Pick<Env, 'DB' | 'LISTS' | 'METRICS'>,
  lists: readonly ListName[],
): Promise<ListName[]> {
  const startedAt = Date.now();
  const measure = (list: ListName, outcome: 'published' | 'failed') =>
    writePoint(env, publicationPoint(list, outcome, Date.now() - startedAt));
  try {
    const written = await publish(openDatabase(env.DB), env.LISTS, lists, currentTime);
    for (const list of written) measure(list, 'published');
    return written;
  } catch (error) {
    for (const list of lists) measure(list, 'failed');
    throw error;
  }
}

/** A refused purge is only a warning, because cached answers expire within seconds anyway. */
async function purge({ cache }: PurgeContext, lists: readonly ListName[]): Promise<void> {
  const result = await cache?.purge({ tags: lists.map(cacheTag) });
  if (!result || result.success) return;
  const reasons = result.errors.map(({ code, message }) => `${code} ${message}`);
  writeLog('warn', { event: 'purge_refused', lists, reasons });
}
