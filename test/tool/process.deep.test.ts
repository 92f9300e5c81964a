import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { childOf } from '../support/processes.ts';
import { databaseFile } from './empty-again.ts';
import { startTool } from './tool.ts';

// The other tests call the tool in their own process; here it is the command that an operator types.

const tool = startTool();

test('reads standard input, answers on standard output, and ends with status 0', async () => {
  const registry = await tool.newRegistry();
  const args = ['retained', 'import', '-', '--json'];
  const ended = await registry.spawn(args, 'name,status\nõ.ee,reserved\n');
  expect(ended).toMatchObject({ status: 0, stderr: '' });
  expect(JSON.parse(ended.stdout)).toMatchObject({ added: 1 });
  expect(await registry.run('retained export')).toEqual({
    status: 0,
    stdout: 'name,status,password,last_day,comment\nõ.ee,reserved,,,\n',
    stderr: '',
  });
});

test.each([
  ['registrar update ALPHA --name Alpha', 1, /^refused: .*ALPHA/],
  ['registrar lst', 2, /error: /],
])('%s ends with status %i and the reason on standard error', async (command, status, stderr) => {
  const ended = await (await tool.newRegistry()).spawn(command);
  expect(ended).toEqual({ status, stdout: '', stderr: expect.stringMatching(stderr) });
});

test('ends with status 1, and without words, when its reader has seen enough', async () => {
  const registry = await tool.newRegistry();
  const names = Array.from({ length: 20_000 }, (_, n) => `nimi${n}.ee,reserved\n`);
  await registry.done('retained import -', `name,status\n${names.join('')}`);
  const child = registry.start('retained export');
  const closed = new Promise((resolve) => child.once('close', resolve));
  child.stdout.once('data', () => child.stdout.destroy());
  const said = text(child.stderr);
  expect(await closed).toBe(1);
  expect(await said).toBe('');
});

test('writes although another process has the file to itself while the runtime opens it', async () => {
  const registry = await tool.newRegistry();
  await registry.spawn('retained add a.ee --status reserved');
  const child = registry.start('retained add b.ee --status reserved');
  const closed = once(child, 'close');
  await childOf(child.pid!, 'workerd');
  {
    using other = new DatabaseSync(databaseFile(registry.directory), { timeout: 30_000 });
    other.exec('pragma locking_mode = exclusive; select * from sqlite_schema');
    await setTimeout(1_000);
  }
  expect(await closed).toEqual([0, null]);
});
