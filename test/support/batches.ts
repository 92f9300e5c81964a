import { type Database, openDatabase } from '../../src/database/open.ts';
import type { Env } from '../../src/env.ts';

type Around = <Results>(send: () => Promise<Results>, number: number) => Promise<Results>;

/** The database, where each batch is sent by `around`, which is told its number, from 1. */
export function aroundBatches({ DB }: Pick<Env, 'DB'>, around: Around): Database {
  let batches = 0;
  return openDatabase({
    prepare: (query) => DB.prepare(query),
    batch(statements) {
      batches += 1;
      return around(() => DB.batch(statements), batches);
    },
  });
}

/** The database, where somebody else's work comes before the batch with this number. */
export function beforeBatch(
  env: Pick<Env, 'DB'>,
  number: number,
  work: () => Promise<unknown>,
): Database {
  return aroundBatches(env, async (send, each) => {
    if (each === number) await work();
    return send();
  });
}
