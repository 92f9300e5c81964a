import { setTimeout } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { killGroup, type TestRegistry } from './tool.ts';

/** A moment in each of so many equal parts of a time, at random within it. */
export function moments(parts: number, [from, until]: [number, number]): number[] {
  return Array.from({ length: parts }, (_, part) =>
    Math.round(from + ((part + Math.random()) / parts) * (until - from)),
  );
}

/** Starts the command and kills it after this time; false if it was done before. */
export async function killAfter(registry: TestRegistry, args: string[], milliseconds: number) {
  const child = registry.start(args, true);
  // Work that it has started may still be writing when the next one starts.
  onTestFinished(() => killGroup(child));
  const closed = new Promise((resolve) => child.once('close', resolve));
  await Promise.race([closed, setTimeout(milliseconds)]);
  const isKilled = child.exitCode === null && child.kill('SIGKILL');
  await closed;
  process.stderr.write(`${isKilled ? 'killed' : 'done'} after ${milliseconds} ms: ${args[1]}\n`);
  return isKilled;
}
