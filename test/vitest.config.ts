import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // The log lines of what is called in the test process matter where a test fails.
    silent: 'passed-only',
    include: ['test/**/*.test.ts'],
    // Starting the runtime takes a second or two; on a busy machine, several.
    hookTimeout: 60_000,
    testTimeout: 60_000,
  },
});
