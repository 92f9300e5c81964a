import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { checkBackup } from '../../src/cli/nouns/backup/file.ts';
import { fill, rowsOf } from './filled.ts';
import { killGroup, startTool, TestRegistry } from './tool.ts';

const tool = startTool();

test('can be killed at any moment and repeated', async () => {
  const registry = await tool.newRegistry();
  await fill(registry);
  const file = path.join(registry.directory, 'killed.sqlite');
  const restored = new TestRegistry(path.join(await tool.newDirectory(), 'killed'));
  const killAfter = async (of: TestRegistry, args: string[], milliseconds: number) => {
    const child = of.start(args, true);
    onTestFinished(() => killGroup(child));
    const closed = new Promise((resolve) => child.once('close', resolve));
    await Promise.race([closed, setTimeout(milliseconds)]);
    killGroup(child);
    await closed;
  };
  for (const milliseconds of [150, 300, 450]) {
    await killAfter(registry, ['backup', file], milliseconds);
    // Either there is no file of this name, or it is whole.
    if (!existsSync(file)) continue;
    expect(checkBackup(file).rows).toBeGreaterThan(500);
    rmSync(file);
  }
  await registry.done(['backup', file]);
  for (const milliseconds of [1_500, 2_500]) {
    await killAfter(restored, ['restore', file], milliseconds);
    const { status, stderr } = await restored.run(['registrar', 'list']);
    if (status !== 0) expect(stderr).toMatch(/lacks|no local database/);
  }
  const again = await restored.run(['restore', file]);
  if (again.status !== 0) expect(again.stderr).toContain('the database is not empty');
  expect(await rowsOf(restored)).toEqual(await rowsOf(registry));
});
