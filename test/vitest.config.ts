import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Starting the runtime takes a second or two; on a busy machine, several.
    hookTimeout: 60_000,
    testTimeout: 60_000,
  },
});
