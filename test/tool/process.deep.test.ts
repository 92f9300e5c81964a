import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
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
    stdout: 'name,status,password,last_day\nõ.ee,reserved,,\n',
    stderr: '',
  });
});

test('ends with status 1 and the reason on standard error when it refuses', async () => {
  const registry = await tool.newRegistry();
  expect(await registry.spawn('registrar update ALPHA --name Alpha')).toEqual({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/^refused: .*ALPHA/),
  });
});

test('ends with status 2 on wrong usage, which it explains', async () => {
  const registry = await tool.newRegistry();
  for (const args of [
    ['registrar', 'lst'],
    ['registrar', 'update', 'ALPHA'],
  ]) {
    expect(await registry.spawn(args)).toEqual({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('error: '),
    });
  }
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
