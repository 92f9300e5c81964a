import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { startTool } from './tool.ts';

const registry = startTool().sharedRegistry();

const count = 30_000;
let file: string;

beforeAll(async () => {
  const rows = Array.from({ length: count }, (_, n) => `nimi${n}.ee,reserved\n`);
  file = await registry.file('names.csv', `name,status\n${rows.join('')}`);
});

test('ends at Ctrl-C with 130, and is finished by the same command', async () => {
  const args = ['retained', 'import', file];
  const child = registry.start(args);
  const stderr = text(child.stderr);
  const rowsIn = async () => (await registry.rows()).retained_domains!.length;
  while ((await rowsIn()) === 0 && child.exitCode === null) await setTimeout(1);
  child.kill('SIGINT');
  const [status] = await once(child, 'close');
  expect(status).toBe(130);
  expect(await stderr).toMatch(/^(importing: .*\n)*interrupted\n$/);
  await registry.done(args);
  const { lists } = await registry.done('lists status');
  expect(lists).toContainEqual(expect.objectContaining({ list: 'reserved', count, behind: false }));
});

test('says so as well where npm, which runs it, is told to end', async () => {
  await registry.done('registrar add --code NPM --name npm');
  const args = ['history', '--follow', '--since', '2020-01-01', '--persist-to', registry.directory];
  const child = spawn('npm', ['run', '--silent', 'registry', '--', ...args]);
  const stderr = text(child.stderr);
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  await once(child, 'close');
  expect(await stderr).toBe('interrupted\n');
});

test.each([
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('says at %s that it was interrupted, and ends with %i', async (signal, status) => {
  await registry.done(['registrar', 'add', '--code', signal, '--name', signal]);
  const child = registry.start('history --follow --since 2020-01-01');
  const stderr = text(child.stderr);
  await once(child.stdout, 'data');
  child.kill(signal);
  expect(await once(child, 'close')).toEqual([status, null]);
  expect(await stderr).toBe('interrupted\n');
});

test('an export that is interrupted leaves the last one as it was', async () => {
  const kept = await registry.file('kept.csv', 'name,status\nkept.ee,reserved\n');
  const child = registry.start(['retained', 'export', kept]);
  const isWriting = () =>
    readdirSync(registry.directory).some((name) => name.includes('.partial-'));
  while (!isWriting() && child.exitCode === null) await setTimeout(1);
  child.kill('SIGINT');
  const [status] = await once(child, 'close');
  expect(status).toBe(130);
  expect(readFileSync(kept, 'utf8')).toBe('name,status\nkept.ee,reserved\n');
  expect(readdirSync(registry.directory).filter((name) => name.startsWith('kept'))).toEqual([
    'kept.csv',
  ]);
});
