import type { RowsAfter } from './paging.ts';
import { retry } from './retry.ts';

/** Yields all rows, page by page. Retries D1's faults. */
export async function* everyRow<Row>(
  read: (page: RowsAfter<Row>) => Promise<Row[]>,
  limit = 5_000,
): AsyncGenerator<Row, void> {
  let after: Row | undefined;
  for (;;) {
    const rows = await retry(() => read({ after, limit }));
    yield* rows;
    after = rows.at(-1);
    if (rows.length < limit) return;
  }
}
