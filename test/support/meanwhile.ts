import { vi } from 'vitest';
import { type Database, openDatabase } from '../../src/base/database/open.ts';
import type { Env } from '../../src/base/env.ts';
import { withMethods } from '../list/published.ts';

type Around = <Results>(send: () => Promise<Results>, number: number) => Promise<Results>;

/** Does the work as in an isolate of its own: what this one has begun is over there. */
export async function inAnotherIsolate<Result>(work: () => Promise<Result>): Promise<Result> {
  const now = performance.now.bind(performance);
  using _ = vi.spyOn(performance, 'now').mockImplementation(() => now() + 3_600_000);
  return await work();
}

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
    if (each === number) await inAnotherIsolate(work);
    return send();
  });
}

/** The database, where somebody else's work comes each time that the rows of a query with this text in it were read. */
export function afterRows(
  { DB }: Pick<Env, 'DB'>,
  text: string,
  work: () => Promise<unknown>,
): Database {
  const prepare = (query: string) => {
    const statement = DB.prepare(query);
    if (!query.includes(text)) return statement;
    const bind = (...values: unknown[]) => {
      const bound = statement.bind(...values);
      const raw = async () => {
        const rows = await bound.raw();
        await inAnotherIsolate(work);
        return rows;
      };
      return withMethods(bound, { raw });
    };
    return withMethods(statement, { bind });
  };
  return openDatabase(withMethods(DB, { prepare }));
}
