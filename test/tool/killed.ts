import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { databaseFile } from './empty-again.ts';
import { killGroup, type TestRegistry } from './tool.ts';

/** A moment in each of so many equal parts of a time, at random within it. */
export function moments(parts: number, [from, until]: [number, number]): number[] {
  return Array.from({ length: parts }, (_, part) =>
    Math.round(from + ((part + Math.random()) / parts) * (until - from)),
  );
}

/** Starts the command and kills it after this time; false if it was done before. */
export function killAfter(registry: TestRegistry, args: string[], milliseconds: number) {
  return killAt(registry, args, (signal) => setTimeout(milliseconds, undefined, { signal }));
}

/** Starts the command and kills it as soon as the history has so many entries; false if it was done before. */
export function killOnceWritten(registry: TestRegistry, args: string[], entries: number) {
  return killAt(registry, args, async (signal) => {
    // Watching the file instead would see its own reads, and might never let anything else happen.
    while (entriesOf(registry) < entries) await setTimeout(5, undefined, { signal });
  });
}

export function entriesOf({ directory }: TestRegistry): number {
  // It only reads, so that it never takes a lock that the runtime needs, and waits for the runtime's own.
  const options = { readOnly: true, timeout: 5_000 };
  using database = new DatabaseSync(databaseFile(directory), options);
  return Number(database.prepare('select count(*) as count from history').get()!.count);
}

async function killAt(
  registry: TestRegistry,
  args: string[],
  moment: (signal: AbortSignal) => Promise<void>,
): Promise<boolean> {
  const startedAt = performance.now();
  const child = registry.start(args, true);
  // Work that it has started may still be writing when the next one starts.
  onTestFinished(() => killGroup(child));
  const waiting = new AbortController();
  const closed = new Promise<void>((resolve) => child.once('close', resolve));
  await Promise.race([closed, moment(waiting.signal)]);
  waiting.abort();
  const isKilled = child.exitCode === null && child.kill('SIGKILL');
  await closed;
  const milliseconds = Math.round(performance.now() - startedAt);
  process.stderr.write(`${isKilled ? 'killed' : 'done'} after ${milliseconds} ms: ${args[1]}\n`);
  return isKilled;
}
