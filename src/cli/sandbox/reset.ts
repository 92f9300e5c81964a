import { currentTime } from '../../clock.ts';
import { openDatabase } from '../../database/open.ts';
import type { Env } from '../../env.ts';
import { recordDailyCounts } from '../../public-list/daily-counts.ts';
import { listNames } from '../../public-list/lists.ts';
import { publishAndPurge } from '../../public-list/publish/publish.ts';
import { loadDemoData } from '../demo/load.ts';
import { listTriggers, setClock } from './clock.ts';
import { noCache } from './move.ts';

/** Brings back the demo data, published, and the real time. Everything else is gone. */
export async function resetSandbox(env: Env): Promise<void> {
  await setClock(env.DB, new Date());
  await emptyDatabase(env.DB);
  await emptyNamespace(env.LISTS);
  await loadDemoData(env);
  await publishAndPurge(env, noCache, listNames);
  await recordDailyCounts(openDatabase(env.DB), env.LISTS, currentTime());
}

/** Tables with rows that the migrations made. */
const keptTables = ['d1_migrations', 'list_sources', 'sandbox_clock'];

/** Empties all tables at once, without the triggers: some of them refuse that anything is deleted. */
async function emptyDatabase(db: D1Database): Promise<void> {
  const { results: tables } = await db
    .prepare(
      `select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\'
       and name not like '\\_cf\\_%' escape '\\' and name not in (select value from json_each(?))`,
    )
    .bind(JSON.stringify(keptTables))
    .all<{ name: string }>();
  const triggers = await listTriggers(db);
  await db.batch([
    db.prepare('pragma defer_foreign_keys = on'),
    ...triggers.map(({ name }) => db.prepare(`drop trigger ${name}`)),
    ...tables.map(({ name }) => db.prepare(`delete from ${name}`)),
    // Ids begin again, so that the demo data gets the same ones every time.
    db.prepare("delete from sqlite_sequence where name <> 'd1_migrations'"),
    ...triggers.map(({ sql }) => db.prepare(sql)),
  ]);
}

async function emptyNamespace(kv: KVNamespace): Promise<void> {
  let page = await kv.list();
  for (;;) {
    for (const { name } of page.keys) await kv.delete(name);
    if (page.list_complete) return;
    page = await kv.list({ cursor: page.cursor });
  }
}
