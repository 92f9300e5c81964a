import { everyPage as everyPageOf } from '../database/every-page.ts';

const pageRows = 5_000;

/** Every row of a list that is read in pages by a key. */
export function everyPage<Row, Key>(
  read: (page: { after?: Key; limit: number }) => Promise<Row[]>,
  keyOf: (row: Row) => Key,
): AsyncGenerator<Row, void> {
  return everyPageOf<Row>(pageRows, (last, limit) =>
    read({ limit, ...(last !== undefined && { after: keyOf(last) }) }),
  );
}
