import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { addEntries, idsLeft, idsOf, numbers } from './archived.ts';
import { killGroup, startTool } from './tool.ts';

const tool = startTool();

test('an archive that was killed is finished by repeating it', async () => {
  const count = 30_000;
  const registry = await tool.newRegistry();
  await addEntries(registry, count);
  const file = path.join(registry.directory, 'history.ndjson');
  const args = ['history', 'archive', '--before', '2025-01-01', '--to', file];
  let kills = 0;
  for (const lines of [500, 3_000, 9_000]) {
    const child = registry.start(args, true);
    onTestFinished(() => killGroup(child));
    const closed = new Promise((resolve) => child.once('close', resolve));
    const size = lines * 200;
    while (child.exitCode === null && (await sizeOf(file)) < size) await setTimeout(5);
    if (child.kill('SIGKILL')) kills += 1;
    await closed;
    killGroup(child);
  }
  expect(kills).toBeGreaterThan(0);
  await registry.done(args);
  expect(idsOf(await readFile(file, 'utf8'))).toEqual(numbers(1, count - 1));
  expect(await idsLeft(registry)).toEqual([count]);
}, 240_000);

async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => ({ size: 0 }))).size;
}
