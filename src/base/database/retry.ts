import { mentions } from './violations.ts';

/** Listed in D1's documentation (d1/best-practices/retry-queries). */
const passingFaults = [
  'Network connection lost',
  'storage caused object to be reset',
  'reset because its code was updated',
];

const afterFaultOfD1 = {
  maximumTries: 4,
  isPassing: isPassingFault,
  // The random part keeps callers from retrying together.
  pauseMilliseconds: (faults: number) => 20 * 2 ** (faults - 1) * (0.5 + Math.random()),
};

/** Repeats an attempt after a passing fault, of D1 by default. The work must be safe to repeat. */
export async function retry<Result>(
  attempt: () => Promise<Result>,
  { maximumTries, isPassing, pauseMilliseconds } = afterFaultOfD1,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isPassing(error) || tries === maximumTries) throw error;
      await pause(pauseMilliseconds(tries));
    }
  }
}

export function isPassingFault(error: unknown): boolean {
  return passingFaults.some((text) => mentions(error, text));
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Throws an Error if the work takes longer. The work itself continues. */
export async function limitTime<Result>(
  milliseconds: number,
  work: Promise<Result>,
): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const error = new Error(`no answer within ${milliseconds} ms`);
  const timer = setTimeout(() => reject(error), milliseconds);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
