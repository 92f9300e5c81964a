import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { startTool } from '../tool.ts';
import { row, writeFiles } from './files.ts';
import { run } from './moves.ts';

const tool = startTool();
const chapter = readFileSync('src/tool/move-in/README.md', 'utf8');

function hasSqlite(): boolean {
  try {
    execFileSync('sqlite3', ['--version'], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}

test("sends a registrar the lines of its own contacts, and nothing of another's", async ({
  skip,
}) => {
  if (!hasSqlite()) skip('there is no sqlite3');
  const [, recipe] = /```sh\n(sqlite3 .*?)```/s.exec(chapter)!;
  const directory = await tool.newDirectory();
  const old = path.join(directory, 'moving-in', 'old');
  mkdirSync(old, { recursive: true });
  writeFiles(old, {
    registrars: [row.registrar(1, 'ALPHA'), row.registrar(2, 'BETA')],
    contacts: [
      row.contact(11, 'ALPHA', { email: 'kell', code: 'ALPHA:7' }),
      row.contact(12, 'BETA', { email: 'beta', code: 'alpha:7' }),
      row.contact(13, 'BETA', { email: 'gamma', code: 'BETA:7' }),
      row.contact(14, 'ALPHA', { email: 'luuk', code: 'beta:7' }),
    ],
  });
  await run('move-in', old, '--dry-run');
  execFileSync('sh', ['-c', recipe!], { env: { ...process.env, HOME: directory } });
  const file = path.join(directory, 'moving-in', 'alpha.csv');
  const lines: Record<string, string>[] = parse(readFileSync(file), { columns: true });
  expect(lines.map(({ line, key, value, done }) => [line, key, value, done])).toEqual([
    ['2', 'ALPHA:7', 'kell', 'carried'],
    ['5', 'BETA:7', 'beta:7', 'refused'],
  ]);
});

test('git ignores files and databases that lie in the checkout after all', ({ skip }) => {
  if (!existsSync('.git')) skip('this is not a checkout');
  const users = ['old', 'files', 'moving-in/old'].map((name) => `${name}/api-users.csv`);
  const names = [...users, 'rehearsal/v3/d1', 'restored/v3/d1', 'before.sqlite'];
  const ignored = execFileSync('git', ['check-ignore', '--no-index', ...names], {
    encoding: 'utf8',
  });
  expect(ignored.trim().split('\n')).toEqual(names);
});
