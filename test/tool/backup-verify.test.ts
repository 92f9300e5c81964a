import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { tablesOf } from '../../src/tool/nouns/backup/copy.ts';
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

test('restores a backup into a temporary database, finds every table as it was, and leaves nothing behind', async () => {
  const before = await registry.rows();
  const temporary = await tool.newDirectory();
  vi.stubEnv('TMPDIR', temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { status, stdout } = await verify(whole);
  expect(JSON.parse(stdout)).toMatchObject({
    file: whole,
    verified: true,
  });
  expect(status).toBe(0);
  expect(readdirSync(temporary)).toEqual([]);
  expect(await registry.rows()).toEqual(before);
});

const keepOnly = (length: number) => (file: string) => truncateSync(file, length);

test.each([
  [
    'a byte that means nothing has changed',
    (file: string) => {
      const bytes = readFileSync(file);
      bytes[bytes.indexOf(Buffer.alloc(64)) + 32] = 1;
      writeFileSync(file, bytes);
    },
  ],
  [
    'a row is missing',
    (file: string) => {
      using database = new DatabaseSync(file);
      database.exec("delete from retained_changes where name = 'õ.ee'");
    },
  ],
  ['nothing is left', keepOnly(0)],
  ['little is left', keepOnly(1_000)],
  ['half of the digest is gone', (file: string) => truncateSync(file, statSync(file).size - 40)],
  ['the last bracket is gone', (file: string) => truncateSync(file, statSync(file).size - 2)],
])('verify and restore refuse a backup in which %s', async (_, damage) => {
  const file = path.join(await tool.newDirectory(), 'damaged.sqlite');
  copyFileSync(whole, file);
  damage(file);
  const message = `${file} is not a whole backup: it is cut off or changed, or was not written by this tool`;
  const refused = { status: 1, stderr: `refused: ${message} [file]\n` };
  expect(await registry.run(['backup', 'verify', file])).toMatchObject(refused);
  expect(await registry.run(['restore', file, '--yes'])).toMatchObject(refused);
});

const python = `
import sqlite3, sys
database = sqlite3.connect(sys.argv[1])
for statement in sys.argv[2:]: print(database.execute(statement).fetchall()[0][0])`;

test('another program checks a backup and reads every table', ({ skip }) => {
  if (spawnSync('python3', ['--version']).error) skip('there is no python3');
  using database = new DatabaseSync(whole, { readOnly: true });
  const statements = tablesOf(database).map((table) => `select count(*) from ${table}`);
  const counts = statements.map((sql) => Object.values(database.prepare(sql).get()!)[0]);
  const args = ['-c', python, whole, 'pragma integrity_check', ...statements];
  const { stdout, stderr } = spawnSync('python3', args, { encoding: 'utf8' });
  expect({ stdout, stderr }).toEqual({ stdout: `${['ok', ...counts].join('\n')}\n`, stderr: '' });
});
