import { inject } from 'vitest';

/** The deep run starts the real runtime. In the quick run, this process is the runtime, for the file alone. */
export const isInProcess = !inject('isDeep');
