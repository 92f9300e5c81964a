import { retried } from './retry.ts';

/** Every row of a query that is read in pages, each after the last row of the one before. Faults of D1 are retried. */
export async function* everyPage<Row>(
  limit: number,
  read: (after: Row | undefined, limit: number) => Promise<Row[]>,
): AsyncGenerator<Row, void> {
  let last: Row | undefined;
  for (;;) {
    const rows = await retried(() => read(last, limit));
    yield* rows;
    last = rows.at(-1);
    if (rows.length < limit) return;
  }
}
