import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { RegistryError } from '../../src/base/error.ts';
import { writeWhole } from '../../src/tool/files/whole.ts';
import { explainFullDisk } from '../../src/tool/local/disk.ts';
import { explainFailure } from '../../src/tool/local/file.ts';
import { startTool } from './tool.ts';

const tool = startTool();

test.each([
  ['SQLite', 'database or disk is full'],
  ['the runtime', 'D1_ERROR: database or disk is full: SQLITE_FULL'],
  ['Node', "ENOSPC: no space left on device, copyfile 'a' -> 'b'"],
])('a disk that is full, as %s says it, is named with its folder', async (_, message) => {
  const directory = await tool.newDirectory();
  const named = new RegistryError('unexpected', `no space is left on the disk of ${directory}`);
  if (!message.startsWith('ENOSPC'))
    expect(explainFailure(new Error(message), directory, undefined)).toEqual(named);
  const file = path.join(directory, 'backup.sqlite');
  await expect(
    writeWhole(file, async () => {
      throw new Error(message);
    }),
  ).rejects.toEqual(named);
});

test('another failure stays as it is', async () => {
  const directory = await tool.newDirectory();
  mkdirSync(path.join(directory, 'v3'));
  const error = new Error('no such table: full');
  expect(explainFullDisk(error, directory)).toBe(error);
});
