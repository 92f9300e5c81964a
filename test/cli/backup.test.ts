import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, expect, test } from 'vitest';
import { openLocalData } from '../../src/cli/local/open.ts';
import { applyMigrations, listMigrations } from '../../src/cli/migrate.ts';
import { copyLocal, writeBackup } from '../../src/cli/nouns/backup/file.ts';
import { fill, rowsOf } from './filled.ts';
import { startTool, TestRegistry } from './tool.ts';

const tool = startTool();
const registry = tool.sharedRegistry();

beforeAll(() => fill(registry));

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
  // The id of a deleted contact is not used again.
  for (const each of [registry, restored]) await each.addContacts('ALPHA:N');
  const ids = await Promise.all(
    [registry, restored].map(async (each) =>
      (await each.rows()).contacts!.map((row) => (row as { id: number }).id),
    ),
  );
  expect(ids[1]).toEqual(ids[0]);
});

test('asks before it restores over rows, naming them, and removes them only if told to', async () => {
  const file = path.join(registry.directory, 'again.sqlite');
  await registry.done(['backup', file]);
  const other = await tool.newRegistry();
  await other.done('registrar add --code OTHER --name Other');
  const before = await other.rows();
  const refused = await other.run(['restore', file]);
  expect(refused).toMatchObject({ status: 1, stdout: '' });
  expect(refused.stderr).toMatch(
    /^refused: This removes everything that is in the database:\n\nTABLE +HERE +IN THE FILE\n.*^contacts +0 +500$.*^last change +20\S+Z +20\S+Z\n\nThe service must be stopped first\. There is no terminal to ask on; confirm with --yes\n$/ms,
  );
  expect(await other.rows()).toEqual(before);
  await other.done(['restore', file, '--yes']);
  expect(await rowsOf(other)).toEqual(await rowsOf(registry));
});

test('replaces no file that was made while the backup was written', async () => {
  const file = path.join(await tool.newDirectory(), 'backup.sqlite');
  const backup = writeBackup(file, async (target) => {
    copyLocal(registry.directory, undefined, target);
    writeFileSync(file, 'made meanwhile');
  });
  await expect(backup).rejects.toMatchObject({ reason: 'taken' });
  expect(readFileSync(file, 'utf8')).toBe('made meanwhile');
  expect(readdirSync(path.dirname(file))).toEqual(['backup.sqlite']);
});

test('leaves nothing behind if there is nothing to back up', async () => {
  const place = await newPlace('nowhere');
  const file = path.join(await tool.newDirectory(), 'backup.sqlite');
  expect((await place.run(['backup', file])).status).toBe(1);
  expect(readdirSync(path.dirname(file))).toEqual([]);
});

test('refuses a file that is not a whole backup', async () => {
  const place = await newPlace('none');
  const whole = path.join(registry.directory, 'whole.sqlite');
  await registry.done(['backup', whole]);
  const half = `${whole}.half`;
  writeFileSync(half, readFileSync(whole).subarray(0, 40_000));
  expect((await place.run(['restore', half])).stderr).toContain('is not a whole backup');
  expect((await place.run(['restore', `${whole}.none`])).stderr).toContain('there is no file');
  expect(existsSync(place.directory)).toBe(false);
});

test('restores the backup of an earlier release, which the next start migrates', async () => {
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
  const { env, dispose } = await openLocalData(restored.directory);
  await applyMigrations(env.DB);
  await dispose();
  expect(await restored.done('registrar list')).toMatchObject({ registrars: [{ code: 'ALPHA' }] });
  await restored.done('system add epp');
});
