import { mentions } from './violations.ts';

/** D1's passing faults: the list of its documentation (d1/best-practices/retry-queries). */
const passingFaults = [
  'Network connection lost',
  'storage caused object to be reset',
  'reset because its code was updated',
];

const maximumTries = 4;
/** Errors of what was tried often enough: whoever repeats a whole attempt does not begin again. */
const givenUp = new WeakSet<object>();
const firstPauseMilliseconds = 20;

/**
 * Repeats what failed by a passing fault of D1, after a pause that doubles each time. Only for reads, and for writes
 * that can tell whether an earlier try, though reported as failed, was done: `isRepeated` says there was one.
 */
export async function retried<Result>(
  attempt: (isRepeated: boolean) => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt(tries > 1);
    } catch (error) {
      const isPassing = passingFaults.some((text) => mentions(error, text));
      if (!isPassing || givenUp.has(error as Error)) throw error;
      if (tries === maximumTries) {
        givenUp.add(error as Error);
        throw error;
      }
      await pause(firstPauseMilliseconds * 2 ** (tries - 1) * (0.5 + Math.random()));
    }
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Each lost race costs another look; so many in a row is a row that changes faster than it can be read. */
const maximumAttempts = 16;
/** Who has lost waits for a random time, up to twice as long after each loss, or those who lost together meet again. */
const firstWaitMilliseconds = 10;
const maximumWaitMilliseconds = 1_000;

/**
 * Repeats an attempt, which reads a row and writes to it if nobody else has, until it gives a result; also after a
 * passing fault, of which `isRepeated` tells as in `retried`.
 */
export function untilWritten<Result>(
  attempt: (isRepeated: boolean) => Promise<Result | undefined>,
): Promise<Result> {
  return retried(async (isRepeated) => {
    for (let count = 0; count < maximumAttempts; count++) {
      const result = await attempt(isRepeated);
      if (result !== undefined) return result;
      const wait = Math.min(firstWaitMilliseconds * 2 ** count, maximumWaitMilliseconds);
      await pause(wait * Math.random());
    }
    throw new Error('the row was changed by others at every attempt');
  });
}
