import { existsSync, statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import type { Reporter } from 'vitest/node';

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
/** Whether the directory has room for the databases of all tests. */
function hasRoom(directory: string): boolean {
  const stats = statfsSync(directory, { bigint: true });
  return stats.bavail * stats.bsize > 4n * 1024n ** 3n;
}

// SQLite waits until a disk has each write. These databases need none where the machine has such a directory in memory.
const memory = '/dev/shm';
if (existsSync(memory) && hasRoom(memory)) process.env.TMPDIR ??= memory;

export default defineConfig({
  test: {
    projects: [
      // `npm test`
      {
        extends: true,
        test: {
          name: 'quick',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, deep],
          globalSetup: 'test/support/check.ts',
          maxWorkers: availableParallelism(),
          provide: { isDeep: false },
        },
      },
      // `npm run test:deep`
      {
        extends: true,
        test: {
          name: 'deep',
          include: ['test/**/*.test.ts'],
          globalSetup: 'test/support/build-bundle.ts',
          testTimeout: 120_000,
          maxWorkers: availableParallelism(),
          provide: { isDeep: true },
        },
      },
    ],
    // The log lines of what is called in the test process matter where a test fails.
    silent: 'passed-only',
    reporters: ['default', whySkipped],
    // A process loads what the tests use once. What a file changes beyond its own rows, it puts back.
    isolate: false,
    globalSetup: 'test/support/build.ts',
    env: {
      // The local runtimes that tests start would build them again.
      ASSETS_ARE_BUILT: 'yes',
      // Each start of the local runtime would ask Cloudflare where this machine is, and report to it.
      CLOUDFLARE_CF_FETCH_ENABLED: 'false',
      WRANGLER_SEND_METRICS: 'false',
      // The demo has a zone and a table of letters, and tests need names of any.
      ZONES: '',
      NAME_LETTERS: '',
    },
    // Starting the runtime takes a second or two; on a busy machine, several.
    hookTimeout: 60_000,
    testTimeout: 60_000,
    slowTestThreshold: 10_000,
  },
});
