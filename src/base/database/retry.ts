import { mentions } from './violations.ts';

/** Listed in D1's documentation (d1/best-practices/retry-queries). */
const passingFaults = [
  'Network connection lost',
  'storage caused object to be reset',
  'reset because its code was updated',
];

const maximumTries = 4;
const firstPauseMilliseconds = 20;

/** Tries up to four times while D1 fails with a transient fault. The work must be safe to repeat. */
export async function retried<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isPassingFault(error) || tries === maximumTries) throw error;
      await pauseAfterFault(tries);
    }
  }
}

export function isPassingFault(error: unknown): boolean {
  return passingFaults.some((text) => mentions(error, text));
}

/** Doubles the pause after each fault. The random part keeps callers from retrying together. */
function pauseAfterFault(faults: number): Promise<void> {
  return pause(firstPauseMilliseconds * 2 ** (faults - 1) * (0.5 + Math.random()));
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Throws an Error if the work takes longer. The work itself continues. */
export async function within<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const error = new Error(`no answer within ${milliseconds} ms`);
  const timer = setTimeout(() => reject(error), milliseconds);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
