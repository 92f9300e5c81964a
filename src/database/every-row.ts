import type { RowsAfter } from './paging.ts';
import { retried } from './retry.ts';

/** Reads every row of a query in pages, each after the last row of the one before. Faults of D1 are retried. */
export async function* everyRow<Row>(
  read: (page: RowsAfter<Row>) => Promise<Row[]>,
  limit = 5_000,
): AsyncGenerator<Row, void> {
  let after: Row | undefined;
  for (;;) {
    const rows = await retried(() => read({ after, limit }));
    yield* rows;
    after = rows.at(-1);
    if (rows.length < limit) return;
  }
}
