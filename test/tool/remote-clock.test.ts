import { expect, it } from 'vitest';
import { checkClock } from '../../src/tool/remote-clock.ts';
import { shareWorker } from '../support/worker.ts';

const worker = shareWorker();
const clockThatIs = (seconds: number) => () => new Date(Date.now() + seconds * 1000);

it.each([0, 5, -5])('accepts a clock that is %i seconds ahead', async (seconds) => {
  await checkClock(worker.env.DB, clockThatIs(seconds));
});

it.each([
  [3_600, 'ahead of'],
  [-3_600, 'behind'],
])('refuses a clock that is %i seconds ahead', async (seconds, difference) => {
  await expect(checkClock(worker.env.DB, clockThatIs(seconds))).rejects.toThrow(
    new RegExp(`^this machine's clock is \\d+ seconds ${difference} the database's: set it$`),
  );
});
