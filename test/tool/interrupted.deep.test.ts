import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { databaseFile } from './empty-again.ts';
import { startTool } from './tool.ts';

const registry = startTool().sharedRegistry();

const count = 20_000;
let file: string;

beforeAll(async () => {
  const rows = Array.from({ length: count }, (_, n) => `nimi${n}.ee,reserved\n`);
  file = await registry.file('names.csv', `name,status\n${rows.join('')}`);
});

function countRows(): number {
  using database = new DatabaseSync(databaseFile(registry.directory), { timeout: 30_000 });
  return Number(database.prepare('select count(*) as count from retained_domains').get()!.count);
}

/** Interrupts an import of the file once this many of its rows are written. */
async function interrupt(rows: number, signal: NodeJS.Signals, isToGroup = false) {
  const before = countRows();
  const child = registry.start(['retained', 'import', file], isToGroup);
  const stderr = text(child.stderr);
  while (countRows() - before < rows && child.exitCode === null) await setTimeout(1);
  // A terminal sends it to the runtime as well.
  process.kill(isToGroup ? -child.pid! : child.pid!, signal);
  const [status] = await once(child, 'close');
  const [, written, request, repeat, takeBack] =
    /interrupted; (\d+) rows were written, by request (\S+)\nto write the rest: npm run registry -- (.*)\nto take back what was written: npm run registry -- (.*)\neither command publishes the lists\n$/.exec(
      await stderr,
    )!;
  const entries = (await registry.rows()).history as { request_id: string }[];
  const changes = entries.filter(({ request_id }) => request_id === request).length;
  return { status, written: Number(written), changes, repeat: repeat!, takeBack: takeBack! };
}

const listed = async () => {
  const { lists } = await registry.done('lists status');
  return lists.find(({ list }: { list: string }) => list === 'reserved');
};
/** The words of a printed command without the place, which the registry of the test adds. */
const wordsOf = (command: string) => command.replace(/ --persist-to .*/, '').split(' ');

test.each([
  [1, 'SIGINT', 130, true],
  [9_000, 'SIGTERM', 143, false],
] as const)(
  'an import that is interrupted after %i rows or more by %s says what it wrote, and is taken back by the command that it prints',
  async (rows, signal, status, isToGroup) => {
    const ended = await interrupt(rows, signal, isToGroup);
    expect(ended).toMatchObject({ status, changes: ended.written });
    await registry.done([...wordsOf(ended.takeBack), '--yes']);
    expect((await registry.rows()).retained_domains).toEqual([]);
    expect(await listed()).toMatchObject({ count: 0, behind: false });
  },
);

test('an import that is interrupted is finished by the command that it prints', async () => {
  const { status, repeat } = await interrupt(5_000, 'SIGINT');
  expect(status).toBe(130);
  await registry.done(wordsOf(repeat));
  expect(await listed()).toMatchObject({ count, behind: false });
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
  const content = 'name,status\nkept.ee,reserved\n';
  const kept = await registry.file('kept.csv', content);
  const isWriting = () =>
    readdirSync(registry.directory).some((name) => name.includes('.partial-'));
  const interrupt = async () => {
    const child = registry.start(['retained', 'export', kept]);
    while (!isWriting() && child.exitCode === null) await setTimeout(1);
    child.kill('SIGINT');
    return (await once(child, 'close'))[0];
  };
  // On a busy machine, an export may end first.
  let status = 0;
  for (let tries = 0; status === 0 && tries < 10; tries += 1) {
    writeFileSync(kept, content);
    status = await interrupt();
  }
  expect(status).toBe(130);
  expect(readFileSync(kept, 'utf8')).toBe(content);
  expect(readdirSync(registry.directory).filter((name) => name.startsWith('kept'))).toEqual([
    'kept.csv',
  ]);
});
