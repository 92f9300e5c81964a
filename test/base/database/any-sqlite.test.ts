import { spawnSync } from 'node:child_process';
import { copyFileSync, globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';

/**
 * Backups are SQLite files for other programs as well: Debian's `sqlite3` and Python's module are older than the SQLite
 * of D1, and refuse expressions that they cannot parse.
 */

/** A row in each table that has triggers, among them an identity code with separators. */
const rows = `
  insert into registrars (id, code, name, created_at, updated_at) values (1, 'ALPHA', 'Alpha', '', '');
  insert into contacts (id, uuid, registrar_id, number, code, name, name_key, email, email_key, phone, ident, ident_key, ident_type,
    ident_country_code, auth_info, created_at, updated_at)
  values (1, 'u', 1, 1, 'ALPHA:1', 'Aino', 'AINO', '', '', '', '131052-308T', '131052308T', 'priv', 'FI', '', '', '');
  insert into domains (id, name, punycode, registrar_id, created_at) values (1, 'õun.ee', 'xn--un-lka.ee', 1, '');
  insert into domain_contacts values (1, 1, 'registrant');
  insert into auctions (uuid, name, punycode, created_at, updated_at) values ('u', 'a.ee', 'a.ee', '', '');
  insert into retained_domains (name, punycode, status, created_at) values ('r.ee', 'r.ee', 'reserved', '');
  insert into disputes (name, punycode, first_day, last_day, created_at)
  values ('d.ee', 'd.ee', '2026-01-01', '2026-12-31', '');
  insert into history (occurred_at, subject, subject_key, action, actor_type, actor, changes)
  values ('', 'contact', 'ALPHA:2', 'delete', 'operator', 'Operator',
    '{"ident":{"from":"ab-1","to":null,"key":"AB1"},"identType":{"from":"priv","to":null},"identCountryCode":{"from":"FI","to":null}}');
  delete from domain_contacts;`;

/** Checks every index, copies the file by its text, and lets a trigger run in the copy. */
const python = `
import sqlite3, sys
source, copy = map(sqlite3.connect, sys.argv[1:])
print(source.execute('pragma integrity_check').fetchone()[0])
copy.executescript('\\n'.join(source.iterdump()))
copy.execute('delete from contacts')
copy.commit()`;

let directory: string;
let file: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'registry-sqlite-'));
  file = path.join(directory, 'registry.sqlite');
  using database = new DatabaseSync(file);
  for (const migration of globSync('migrations/*.sql').sort()) {
    database.exec(readFileSync(migration, 'utf8'));
  }
  database.exec(rows);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const tools: Record<string, (copy: string) => string> = {
  sqlite3(copy) {
    run('sqlite3', [copy], run('sqlite3', [file, '.dump']));
    run('sqlite3', [copy, 'delete from contacts']);
    return run('sqlite3', [file, 'pragma integrity_check']);
  },
  python3: (copy) => run('python3', ['-c', python, file, copy]),
};

it.for(Object.keys(tools))('%s reads, checks, copies and changes a database', (tool, { skip }) => {
  if (spawnSync(tool, ['--version']).error) skip(`there is no ${tool}`);
  const copy = path.join(directory, tool);

  expect(tools[tool]!(copy)).toBe('ok\n');

  const expected = path.join(directory, `${tool}-expected`);
  copyFileSync(file, expected);
  using database = new DatabaseSync(expected);
  database.exec('delete from contacts');
  using copied = new DatabaseSync(copy);
  expect(contentOf(copied)).toEqual(contentOf(database));
});

function run(command: string, args: string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync(command, args, { input, encoding: 'utf8' });
  if (status !== 0 || stderr) throw new Error(stderr);
  return stdout;
}

/** The rows of every table, and what was created. */
function contentOf(database: DatabaseSync) {
  const created = database
    .prepare(
      "select name, type, sql from sqlite_master where name not like 'sqlite_%' order by name",
    )
    .all();
  const tables = created.filter(({ type }) => type === 'table');
  return [created, tables.map(({ name }) => database.prepare(`select * from ${name}`).all())];
}
