import { openDatabase } from '../../base/database/open.ts';
import type { Env } from '../../base/env.ts';
import { currentTime, timeAfter } from '../../base/time/clock.ts';
import { recordDailyCounts } from '../../list/daily-counts.ts';
import { listNames } from '../../list/lists.ts';
import { publish } from '../../list/publish/publish.ts';
import { applyMigrations } from '../../tool/migrate.ts';
import { hasDemoUsers, loadDemoData } from '../demo/load.ts';

export async function prepareLocalData(env: Env, { isDemoWanted }: { isDemoWanted: boolean }) {
  await applyMigrations(env.DB);
  const isDemoLoaded = isDemoWanted && (await loadDemoData(env));
  const db = openDatabase(env.DB);
  const yesterday = new Date(timeAfter(currentTime(), -24 * 60 * 60 * 1000));
  // Dated yesterday, so that the first run of the cron archives a day.
  if (isDemoLoaded) await publish({ db, kv: env.LISTS, clock: () => yesterday }, listNames);
  await publish({ db, kv: env.LISTS, clock: currentTime }, listNames);
  await recordDailyCounts(db, env.LISTS, currentTime());
  return { isDemoLoaded, hasDemoUsers: await hasDemoUsers(env) };
}
