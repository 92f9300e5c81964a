import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, expect, test, vi } from 'vitest';
import { explainFullDatabase } from '../../src/tool/local/disk.ts';

const error = new Error('internal error; reference = 6bst8d97j6rv6ferojr2nl13');

/** Blocks of 4 KiB. Also for modules that other files of tests have loaded. */
function leaveBlocks(bavail: number): void {
  vi.spyOn(fs, 'statfsSync').mockReturnValue({ bavail, bsize: 4_096 } as fs.StatsFs);
  syncBuiltinESMExports();
}

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

test('a failure that the runtime hides says how little room the disk has', () => {
  leaveBlocks(100);
  expect(explainFullDatabase(error, '.')).toMatchObject({
    message: `${error.message}; the disk of . has 409 kB left`,
  });
});

test('and stays as it is where there is room', () => {
  leaveBlocks(1_000_000);
  expect(explainFullDatabase(error, '.')).toBe(error);
});
