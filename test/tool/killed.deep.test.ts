import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startServer } from '../dev/server.ts';
import { childOf, endOf, family } from '../support/processes.ts';
import { startTool } from './tool.ts';

const tool = startTool();

test('no process stays behind a command that is killed', async () => {
  const registry = await tool.newRegistry();
  const rows = Array.from({ length: 30_000 }, (_, n) => `nimi${n}.ee,reserved\n`);
  const file = await registry.file('names.csv', `name,status\n${rows.join('')}`);
  const { pid } = registry.start(['retained', 'import', file]);
  await childOf(pid!, 'workerd');
  // The runtime works, and waits for no more input.
  while ((await registry.rows()).retained_domains!.length === 0) await setTimeout(1);
  const before = family(pid!);
  expect(before.length).toBeGreaterThan(1);
  process.kill(pid!, 'SIGKILL');
  await endOf(before);
});

test.each(['', 'dev-server.ts'])(
  'no process stays behind npm start if its process %s is killed',
  async (word) => {
    const { directory } = await tool.newRegistry();
    const { child, ended } = await startServer('--no-demo', '--persist-to', directory);
    const before = family(child.pid!);
    await childOf(child.pid!, 'workerd');
    process.kill(word ? await childOf(child.pid!, word) : child.pid!, 'SIGKILL');
    await ended;
    await endOf(before);
  },
);
