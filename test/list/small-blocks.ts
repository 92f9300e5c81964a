import { afterAll, beforeAll } from 'vitest';
import { blockSizes } from '../../src/list/format/split.ts';

/** Cuts lists into blocks of a few names for the tests of this file, in this process: not in a Worker's runtime. */
export function useSmallBlocks(sizes = { minimum: 3, mean: 5, maximum: 9 }): void {
  const usual = { ...blockSizes };
  beforeAll(() => void Object.assign(blockSizes, sizes));
  afterAll(() => void Object.assign(blockSizes, usual));
}
