import { spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, expect, test } from 'vitest';
import { tablesOf } from '../../src/tool/nouns/backup/contents.ts';
import { readSeal, seal } from '../../src/tool/nouns/backup/seal.ts';
import { fill } from './filled.ts';
import { startTool } from './tool.ts';

const tool = startTool();
const registry = tool.sharedRegistry();
let whole: string;

beforeAll(async () => {
  await fill(registry);
  whole = path.join(registry.directory, 'whole.sqlite');
  await registry.done(['backup', whole]);
});

const verify = (file: string) => registry.run(['backup', 'verify', file, '--json']);

/** A copy of the backup that something has happened to. */
async function damaged(damage: (file: string) => void | Promise<void>): Promise<string> {
  const file = path.join(await tool.newDirectory(), 'damaged.sqlite');
  copyFileSync(whole, file);
  await damage(file);
  return file;
}

async function expectRefused(file: string, problem: string): Promise<void> {
  const { status, stdout } = await verify(file);
  expect(JSON.parse(stdout)).toEqual({
    errors: [{ reason: 'malformed', message: `${file} is not ${problem}`, field: 'file' }],
  });
  expect(status).toBe(1);
}

test('restores a backup into a temporary database, finds every table as it was, and leaves nothing behind', async () => {
  const before = { registry: await registry.rows(), temporary: readdirSync(tmpdir()) };
  const { status, stdout } = await verify(whole);
  expect(JSON.parse(stdout)).toMatchObject({
    file: whole,
    verified: true,
    contents: { contacts: { rows: 499, digest: expect.stringMatching(/^[0-9a-f]{64}$/) } },
  });
  expect(status).toBe(0);
  const after = { registry: await registry.rows(), temporary: readdirSync(tmpdir()) };
  const left = after.temporary.filter((name) => name.startsWith('registry-verify-'));
  expect(before.temporary).toEqual(expect.arrayContaining(left));
  expect(after.registry).toEqual(before.registry);
});

const cutOff = 'a whole backup: it is cut off or changed, or was not written by this tool';

test('refuses a backup in which a byte that means nothing has changed', async () => {
  const file = await damaged((file) => {
    const bytes = readFileSync(file);
    const place = bytes.indexOf(Buffer.alloc(64));
    bytes[place + 32] = 1;
    writeFileSync(file, bytes);
  });
  await expectRefused(file, cutOff);
});

test('refuses a backup in which a row is missing', async () => {
  const file = await damaged((file) => {
    using database = new DatabaseSync(file);
    database.exec("delete from retained_changes where name = 'õ.ee'");
  });
  await expectRefused(file, cutOff);
});

test('refuses a backup that is cut off', async () => {
  const { length } = readFileSync(whole);
  for (const kept of [0, 1_000, length - 100, length - 2]) {
    await expectRefused(await damaged((file) => truncateSync(file, kept)), cutOff);
  }
});

test('refuses a backup that restores to something else than it states', async () => {
  const file = await damaged(async (file) => {
    const { tables } = await readSeal(file);
    truncateSync(file, readFileSync(file).lastIndexOf('\n-- '));
    using database = new DatabaseSync(file);
    database.exec("delete from retained_changes where name = 'õ.ee'");
    await seal(file, { tables });
  });
  const { stdout } = await verify(file);
  expect(JSON.parse(stdout).errors[0].message).toBe(
    `${file} was restored to something else than it states: retained_changes`,
  );
});

test('restore refuses what verify refuses', async () => {
  const file = await damaged((file) => truncateSync(file, 1_000));
  const before = await registry.rows();
  const { status, stderr } = await registry.run(['restore', file, '--yes']);
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: `refused: ${file} is not ${cutOff} [file]\n`,
  });
  expect(await registry.rows()).toEqual(before);
});

const python = `
import sqlite3, sys
database = sqlite3.connect(sys.argv[1])
for statement in sys.argv[2:]: print(database.execute(statement).fetchall()[0][0])`;

const programs: Record<string, (statements: string[]) => string[]> = {
  sqlite3: (statements) => [whole, ...statements],
  python3: (statements) => ['-c', python, whole, ...statements],
};

test.for(Object.keys(programs))('%s checks a backup and reads every table', (program, { skip }) => {
  if (spawnSync(program, ['--version']).error) skip(`there is no ${program}`);
  using database = new DatabaseSync(whole, { readOnly: true });
  const statements = tablesOf(database).map((table) => `select count(*) from ${table}`);
  const counts = statements.map((sql) => Object.values(database.prepare(sql).get()!)[0]);
  const { stdout, stderr } = spawnSync(
    program,
    programs[program]!(['pragma integrity_check', ...statements]),
    { encoding: 'utf8' },
  );
  expect({ stdout, stderr }).toEqual({ stdout: `${['ok', ...counts].join('\n')}\n`, stderr: '' });
});
