import { expect, test, vi } from 'vitest';
import { explainFullDatabase } from '../../src/tool/local/disk.ts';

const left = vi.hoisted(() => ({ bavail: 0, bsize: 4_096 }));
vi.mock('node:fs', async (original) => ({
  ...(await original<typeof import('node:fs')>()),
  statfsSync: () => left,
}));

const error = new Error('internal error; reference = 6bst8d97j6rv6ferojr2nl13');

test('a failure that the runtime hides says how little room the disk has', () => {
  left.bavail = 100;
  expect(explainFullDatabase(error, '.')).toMatchObject({
    message: `${error.message}; the disk of . has 409 kB left`,
  });
});

test('and stays as it is where there is room', () => {
  left.bavail = 1_000_000;
  expect(explainFullDatabase(error, '.')).toBe(error);
});
