import { currentTime } from '../../clock.ts';
import { openDatabase } from '../../database/open.ts';
import type { Env } from '../../env.ts';
import { recordDailyCounts } from '../../public-list/daily-counts.ts';
import { listNames } from '../../public-list/lists.ts';
import { publishAndPurge } from '../../public-list/publish/publish.ts';
import { setClock } from './clock.ts';
import { noCache } from './move.ts';
import { restoreRows } from './rows.ts';

/** Brings back the data that the sandbox began with, published, and the real time. Everything else is gone. */
export async function resetSandbox(env: Env): Promise<void> {
  await setClock(env.DB, new Date());
  await restoreRows(env.DB);
  await emptyNamespace(env.LISTS);
  await publishAndPurge(env, noCache, listNames);
  await recordDailyCounts(openDatabase(env.DB), env.LISTS, currentTime());
}

async function emptyNamespace(kv: KVNamespace): Promise<void> {
  let page = await kv.list();
  for (;;) {
    for (const { name } of page.keys) await kv.delete(name);
    if (page.list_complete) return;
    page = await kv.list({ cursor: page.cursor });
  }
}
