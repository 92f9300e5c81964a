import { inject } from 'vitest';

if (inject('isDeep') === undefined) {
  throw new Error(
    'Run it by npm test -- FILE: npx vitest run does not find test/vitest.config.ts.',
  );
}

/** The deep run starts the real runtime. In the quick run, this process is the runtime, for the file alone. */
export const isInProcess = !inject('isDeep');
