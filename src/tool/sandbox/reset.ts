import { openDatabase } from '../../base/database/open.ts';
import type { Env } from '../../base/env.ts';
import { currentTime } from '../../base/time/clock.ts';
import { recordDailyCounts } from '../../list/daily-counts.ts';
import { listKeys } from '../../list/kv.ts';
import { listNames } from '../../list/lists.ts';
import { publishAndPurge } from '../../list/publish/publish.ts';
import { forgetStarted } from '../../worker/http/request/recent.ts';
import { setClock } from './clock.ts';
import { noCache } from './move.ts';
import { restoreRows } from './rows.ts';

/** Brings back the data and the lists that the sandbox began with, and the real time. Everything else is gone. */
export async function resetSandbox(env: Env): Promise<void> {
  await setClock(env.DB, new Date());
  await restoreRows(env.DB);
  forgetStarted(env.DB);
  for (const { name } of await listKeys(env.LISTS, '')) await env.LISTS.delete(name);
  for (let count = 1; env.ARCHIVE && count > 0; ) {
    const { objects } = await env.ARCHIVE.list();
    count = objects.length;
    await env.ARCHIVE.delete(objects.map(({ key }) => key));
  }
  await publishAndPurge(env, noCache, listNames);
  await recordDailyCounts(openDatabase(env.DB), env.LISTS, currentTime());
}
