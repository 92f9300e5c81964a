import { readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, expect, test } from 'vitest';
import { listMigrations } from '../../src/tool/migrate.ts';
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

test('asks before it restores over rows, and leaves them and no copy if nobody agrees', async () => {
  const file = path.join(registry.directory, 'again.sqlite');
  await registry.done(['backup', file]);
  const other = await tool.newRegistry();
  await other.done('registrar add --code OTHER --name Other');
  const before = await other.rows();
  const refused = await other.run(['restore', file]);
  expect(refused).toMatchObject({ status: 1, stdout: '' });
  expect(refused.stderr).toMatch(
    /^refused: This removes everything that is in the database \(registrars: 1, contacts: 0, changes: 1, last change: 20\S+Z\),\nand puts there what is in the file \(registrars: 1, contacts: 499, changes: 50\d, last change: 20\S+Z\):\n.*\nThe service must be stopped first\. There is no terminal to ask on; confirm with --yes\n$/,
  );
  expect(await other.rows()).toEqual(before);
  expect(readdirSync(tmpdir()).filter((name) => name.startsWith('registry-restore-'))).toEqual([]);
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
