import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { contentsOf } from '../../src/tool/nouns/backup/copy.ts';
import { loadSql } from '../../src/tool/nouns/backup/load-sql.ts';
import { startTool } from './tool.ts';

const tool = startTool();

/**
 * Everything that ends or begins something in SQL, and characters of each length in UTF-8. No backslash before an n: D1
 * itself exports it as a new line, in a value that has a new line as well.
 */
const hostile = `'; commit; -- "\`[/* \n\r \\ ';' õ € 🦋 ; end; create trigger '' `;

test('reads an export of D1 in parts, wherever one ends', async () => {
  const registry = await tool.newRegistry();
  const { env, dispose } = await registry.open();
  // Parts of 1 MiB end at other places in each of these.
  const rows = Array.from({ length: 30 }, (_, n) => hostile.repeat(2_000) + 'x'.repeat(n));
  await env.DB.prepare(`insert into registrars (code, name, created_at, updated_at)
    select 'R' || key, value, '', '' from json_each(?)`)
    .bind(JSON.stringify(rows))
    .run();
  const [lines] = await env.DB.prepare('PRAGMA miniflare_d1_export(?,?,?);').bind(0, 0).raw();
  await dispose();
  const directory = await tool.newDirectory();
  const [sql, loaded] = [path.join(directory, 'export.sql'), path.join(directory, 'loaded')];
  writeFileSync(sql, lines!.join('\n'));
  const copied = path.join(directory, 'copied');
  await registry.done(['backup', copied]);

  await loadSql(sql, loaded);

  using exported = new DatabaseSync(loaded);
  using backup = new DatabaseSync(copied);
  expect(contentsOf(exported)).toEqual(contentsOf(backup));
});
