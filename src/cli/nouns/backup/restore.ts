import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { jsonArrays } from '../../../database/json-rows.ts';
import { RegistryError } from '../../../error.ts';
import { listNames } from '../../../public-list/lists.ts';
import { reading } from '../../command.ts';
import { type Progress, startProgress } from '../../progress.ts';
import { localDirectory } from '../../project.ts';
import { run } from '../../run.ts';
import { counted } from '../../text.ts';
import { checkBackup, countOf, isOwnTable, tablesOf } from './file.ts';

export const restoreCommand = reading(
  'restore',
  'restore registry-2026-11-21.sqlite --persist-to restored',
  'restore registry.sqlite --remote',
)
  .argument('<file>', 'a file that backup has written')
  .addHelpText(
    'after',
    `
The database must be empty: name a new directory, or a new database in wrangler.toml; no migrations are applied
first. If it is interrupted, repeat it: it starts over. The lists are published at the end.`,
  )
  .action((name, options) => {
    const file = path.resolve(name);
    return run(
      options,
      async () => {
        const summary = checkBackup(file);
        const data = path.join(localDirectory(options.persistTo), 'v3/d1');
        if (!options.remote) mkdirSync(data, { recursive: true });
        return summary;
      },
      async ({ env }, { rows, tables }) => {
        await copyInto(env.DB, file, rows);
        return {
          data: { file, tables, rows, changed: true },
          text: `restored ${counted(rows, 'row')} of ${counted(tables, 'table')} from ${name}`,
          publish: listNames,
        };
      },
      { mayBeEmpty: true },
    );
  });

/** The first table of a restore, and the last thing that it drops: while it is there, the database is not whole. */
const marker = 'restore_unfinished';

/** Copies the backup; the list of migrations comes last, and without it no command works on the database. */
async function copyInto(db: D1Database, file: string, rows: number): Promise<void> {
  using backup = new DatabaseSync(file, { readOnly: true });
  await makeEmpty(db);
  const progress = startProgress('restoring', rows);
  try {
    const tables = tablesOf(backup).filter((table) => table !== 'd1_migrations');
    for (const table of [...tables, 'd1_migrations']) {
      await db.prepare(schemaOf(backup, 'table', table)[0]!).run();
      if (table === 'd1_migrations') await finish(db, backup, tables);
      await copyRows(db, backup, table, progress);
    }
    await db.prepare(`drop table ${marker}`).run();
  } finally {
    progress.stop();
  }
}

/** Throws `invalid` for a database with tables, unless an unfinished restore has left them. */
async function makeEmpty(db: D1Database): Promise<void> {
  const { results } = await db
    .prepare(`select name from sqlite_schema where ${isOwnTable} order by rowid desc`)
    .all<{ name: string }>();
  const names = results.map(({ name }) => name);
  if (names.length > 0 && !names.includes(marker)) {
    throw new RegistryError('invalid', 'the database is not empty; restore into a new one');
  }
  await db.prepare(`create table if not exists ${marker} (id integer)`).run();
  // The tables that were created last refer to the others.
  const leftovers = names.filter((name) => name !== marker);
  await db.batch([
    db.prepare('pragma defer_foreign_keys = on'),
    ...leftovers.map((name) => db.prepare(`drop table "${name}"`)),
  ]);
}

/** Counters that are not columns, then what would slow down the copy or change it: indexes and triggers. */
async function finish(db: D1Database, backup: DatabaseSync, tables: string[]): Promise<void> {
  const sequences = backup
    .prepare('select name, seq from sqlite_schema join sqlite_sequence using (name)')
    .all() as { name: string; seq: number }[];
  for (const { name, seq } of sequences) {
    if (!tables.includes(name)) continue;
    await db.batch([
      db.prepare('delete from sqlite_sequence where name = ?').bind(name),
      db.prepare('insert into sqlite_sequence (name, seq) values (?, ?)').bind(name, seq),
    ]);
  }
  for (const type of ['index', 'trigger'] as const) {
    for (const sql of schemaOf(backup, type)) await db.prepare(sql).run();
  }
}

async function copyRows(
  db: D1Database,
  backup: DatabaseSync,
  table: string,
  progress: Progress,
): Promise<void> {
  if (countOf(backup, table) === 0) return;
  const columns = backup.prepare(`pragma table_info("${table}")`).all();
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  const values = columns.map((_, index) => `value ->> '$[${index}]'`).join(', ');
  const insert = db.prepare(`insert into "${table}" (${names}) select ${values} from json_each(?)`);
  const statement = backup.prepare(`select ${names} from "${table}"`);
  statement.setReturnArrays(true);
  let page: unknown[] = [];
  const write = async () => {
    for (const array of jsonArrays(page)) await insert.bind(array).run();
    progress.advance(page.length);
    page = [];
  };
  for (const row of statement.iterate()) {
    page.push(row);
    if (page.length === 1_000) await write();
  }
  await write();
}

function schemaOf(backup: DatabaseSync, type: 'table' | 'index' | 'trigger', name?: string) {
  const rows = backup
    .prepare(
      'select sql from sqlite_schema where type = ? and sql is not null and name = ifnull(?, name)',
    )
    .all(type, name ?? null) as { sql: string }[];
  return rows.map(({ sql }) => sql);
}
