import { expect, it } from 'vitest';
import { checkClock } from '../../src/tool/registry.ts';
import { shareWorker } from '../support/worker.ts';

const worker = shareWorker();
const clockThatIs = (seconds: number) => () => new Date(Date.now() + seconds * 1000);

it.each([0, 5, -5])('accepts a clock that is %i seconds ahead', async (seconds) => {
  await checkClock(worker.env.DB, clockThatIs(seconds));
});

it.each([3_600, -3_600])('refuses a clock that is %i seconds ahead', async (seconds) => {
  await expect(checkClock(worker.env.DB, clockThatIs(seconds))).rejects.toThrow(
    /^this machine's clock is -?\d+ seconds from the database's: set it$/,
  );
});
