import { openDatabase } from '../../database/open.ts';
import type { Env } from '../../env.ts';
import { forgetStarted } from '../../http/started-auctions.ts';
import { recordDailyCounts } from '../../public-list/daily-counts.ts';
import { listKeys } from '../../public-list/kv.ts';
import { listNames } from '../../public-list/lists.ts';
import { publishAndPurge } from '../../public-list/publish/publish.ts';
import { currentTime } from '../../time/clock.ts';
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
