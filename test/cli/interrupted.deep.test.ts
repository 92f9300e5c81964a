import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startTool } from './tool.ts';

const tool = startTool();

test('says at Ctrl-C how far it came and how to go on, and ends with 130', async () => {
  const registry = await tool.newRegistry();
  const count = 60_000;
  const rows = Array.from({ length: count }, (_, n) => `nimi${n}.ee,reserved\n`);
  const file = await registry.file('names.csv', `name,status\n${rows.join('')}`);
  const args = ['retained', 'import', file];
  const child = registry.start(args);
  const stderr = text(child.stderr);
  // At whatever moment: the promise holds for each.
  await setTimeout(2_500);
  child.kill('SIGINT');
  const [status] = await once(child, 'close');
  expect(status).toBe(130);
  expect(await stderr).toMatch(
    /^interrupted(; nothing was changed|: importing, \d+ of 60000 rows done, not published yet\. To continue and publish, repeat the command: .*)\n$/,
  );
  await registry.done(args);
  const { lists } = await registry.done(['lists', 'status']);
  expect(lists).toContainEqual(expect.objectContaining({ list: 'reserved', count, behind: false }));
});
