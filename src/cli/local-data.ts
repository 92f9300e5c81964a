import { currentTime } from '../clock.ts';
import { openDatabase } from '../database/open.ts';
import { recordDailyCounts } from '../public-list/daily-counts.ts';
import { listNames } from '../public-list/lists.ts';
import { publish } from '../public-list/publish/publish.ts';
import { hasDemoUsers, loadDemoData } from './demo/load.ts';
import { openLocalData } from './local.ts';

/**
 * Prepares the migrated data in a directory for `wrangler dev`: loads the demo data if it is wanted and the registry
 * is empty, and publishes the lists and the counts of each day. Never touches a deployed database.
 */
export async function prepareLocalData(
  directory: string,
  { isDemoWanted }: { isDemoWanted: boolean },
) {
  const { env, dispose } = await openLocalData(directory);
  try {
    const isDemoLoaded = isDemoWanted && (await loadDemoData(env));
    const db = openDatabase(env.DB);
    await publish(db, env.LISTS, listNames, currentTime);
    await recordDailyCounts(db, env.LISTS, currentTime());
    return { isDemoLoaded, hasDemoUsers: await hasDemoUsers(env) };
  } finally {
    await dispose();
  }
}
