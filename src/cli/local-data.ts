import path from 'node:path';
import { getPlatformProxy } from 'wrangler';
import { openDatabase } from '../database/open.ts';
import type { Env } from '../env.ts';
import { listNames } from '../public-list/lists.ts';
import { publish } from '../public-list/publish.ts';
import { hasDemoUsers, loadDemoData } from './demo/load.ts';

/**
 * Readies the data in a directory of `wrangler dev`, migrated before: loads the demo data if it is wanted and the
 * registry has nothing in it, and publishes the lists. Never touches a deployed database.
 */
export async function prepareLocalData(directory: string, isDemoWanted: boolean) {
  process.env.WRANGLER_LOG = 'error';
  const { env, dispose } = await getPlatformProxy<Env>({
    // wrangler dev keeps its data one level below the directory that it is given.
    persist: { path: path.join(directory, 'v3') },
    remoteBindings: false,
  });
  try {
    const isDemoLoaded = isDemoWanted && (await loadDemoData(env));
    await publish(openDatabase(env.DB), env.LISTS, listNames, () => new Date());
    return { isDemoLoaded, hasDemoUsers: await hasDemoUsers(env) };
  } finally {
    await dispose();
  }
}
