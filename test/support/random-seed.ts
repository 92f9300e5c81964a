import fc from 'fast-check';

/** Every random test of a run draws from one seed (vitest.config.ts). */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.RANDOM_SEED) });
