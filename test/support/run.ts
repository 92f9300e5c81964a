import { inject } from 'vitest';

/** The deep run starts the real runtime. On the stand-ins, this process is the runtime, for the file alone. */
export const isInProcess = !inject('isDeep');

/** Whether random tests draw many lives: so many have something of everything. */
export const drawsMany = inject('drawsMany');

/** How many lives a random test draws: some in the quick run and in the real runtime, and many on the stand-ins of the deep run. */
export const runs = (some: number, many: number): number => (drawsMany ? many : some);
