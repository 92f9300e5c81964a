import { randomInt } from 'node:crypto';
import { existsSync, globSync, readFileSync, statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type Reporter, type TestSpecification } from 'vitest/node';

/** Says after a run which tests were skipped for want of something, and of what. */
const whySkipped: Reporter = {
  onTestRunEnd(modules) {
    for (const { children, relativeModuleId } of modules) {
      const results = [...children.allTests('skipped')].map((test) => test.result());
      const reasons = results.map((result) => ('note' in result ? result.note : undefined));
      for (const reason of new Set(reasons)) {
        if (reason) process.stderr.write(`Skipped ${relativeModuleId}: ${reason}\n`);
      }
    }
  },
};

/** Tests that start processes or a browser, or need much data. */
const deep = 'test/**/*.deep.test.ts';
const findQuick = () =>
  globSync('test/**/*.test.ts', { exclude: [...configDefaults.exclude, deep] });

/** What asks which run it is, as all does that starts a runtime, or draws anew in each. */
const asksOrDraws = /\binject\(|'fast-check'/;

/** Whether the deep run would repeat a file of test as it is: neither the file nor what it imports from there asks or draws. */
function isSameInBoth(file: string, seen = new Set<string>()): boolean {
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  if (asksOrDraws.test(text)) return false;
  const imported = [...text.matchAll(/\b(?:from |import\()'(\.[^']+\.tsx?)'/g)]
    .map(([, name]) => path.join(path.dirname(file), name!))
    .filter((name) => name.startsWith('test/') && !seen.has(name));
  return imported.every((name) => isSameInBoth(name, seen));
}

/** The second part of the deep run: random tests that drew a few lives in the real runtime draw many on the stand-ins. */
const standIns = {
  extends: true as const,
  test: {
    name: 'stand-ins',
    include: ['test/**/*.random.test.ts'],
    provide: { isDeep: false, drawsMany: true },
  },
};

/** Begins with the files that take minutes, so that no worker ends with one of them alone. CI knows no durations. */
class DeepFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const sorted = await super.sort(files);
    const isDeep = ({ moduleId }: TestSpecification) => moduleId.endsWith('.deep.test.ts');
    return sorted.toSorted((one, other) => Number(isDeep(other)) - Number(isDeep(one)));
  }
}

/** Whether the directory has room for the databases of all tests. */
function hasRoom(directory: string): boolean {
  const stats = statfsSync(directory, { bigint: true });
  return stats.bavail * stats.bsize > 4n * 1024n ** 3n;
}

// SQLite waits until a disk has each write. These databases need none where the machine has such a directory in memory.
const memory = '/dev/shm';
if (existsSync(memory) && hasRoom(memory)) process.env.TMPDIR ??= memory;

/** `--mode deep`, of `npm run test:deep`. Any other run is the quick one. */
export default defineConfig(({ mode }) => {
  const isDeep = mode === 'deep';
  /** What random tests draw. The quick run draws the same every time, the deep run something new, unless RANDOM_SEED repeats it. */
  const seed = process.env.RANDOM_SEED ?? String(isDeep ? randomInt(2 ** 31) : 20_260_101);
  /** Prints the seed of the deep run: a failure that no property names needs it, too. */
  const whichSeed: Reporter = {
    onInit() {
      if (isDeep) process.stderr.write(`Random tests: RANDOM_SEED=${seed} repeats them\n`);
    },
  };
  const all = {
    extends: true as const,
    test: {
      name: isDeep ? 'deep' : 'quick',
      include: ['test/**/*.test.ts'],
      exclude: [
        ...configDefaults.exclude,
        ...(isDeep ? findQuick().filter((file) => isSameInBoth(file)) : [deep]),
      ],
      provide: { isDeep, drawsMany: false },
    },
  };
  return {
    test: {
      projects: [all, ...(isDeep ? [standIns] : [])],
      globalSetup: ['build', isDeep ? 'build-bundle' : 'check'].map(
        (name) => `test/support/${name}.ts`,
      ),
      maxWorkers: availableParallelism(),
      sequence: { sequencer: DeepFirst },
      // The log lines of what is called in the test process matter where a test fails.
      silent: 'passed-only',
      reporters: ['default', whySkipped, whichSeed],
      setupFiles: 'test/support/random-seed.ts',
      // A process loads what the tests use once. What a file changes beyond its own rows, it puts back.
      isolate: false,
      env: {
        RANDOM_SEED: seed,
        // The local runtimes that tests start would build them again.
        ASSETS_ARE_BUILT: 'yes',
        // Each start of the local runtime would ask Cloudflare where this machine is, and report to it.
        CLOUDFLARE_CF_FETCH_ENABLED: 'false',
        WRANGLER_SEND_METRICS: 'false',
        // The demo has a zone and a table of letters, and tests need names of any.
        ZONES: '',
        NAME_LETTERS: '',
      },
      // Starting the runtime takes a second or two, and a line of a log a moment; on a busy machine, several.
      expect: { poll: { timeout: 20_000 } },
      hookTimeout: 60_000,
      testTimeout: isDeep ? 120_000 : 60_000,
      slowTestThreshold: 10_000,
    },
  };
});
