import { everyPage } from '../database/every-page.ts';

const pageRows = 5_000;

type ReadPage<Row, Key> = (page: { after?: Key; limit: number }) => Promise<Row[]>;

/** Every row of a list that is read in pages by a key. */
export function everyRow<Row, Key>(
  read: ReadPage<Row, Key>,
  keyOf: (row: Row) => Key,
): AsyncGenerator<Row, void> {
  return everyPage<Row>(pageRows, (last, limit) =>
    read({ limit, ...(last !== undefined && { after: keyOf(last) }) }),
  );
}

/** The same in memory. */
export function allRows<Row, Key>(
  read: ReadPage<Row, Key>,
  keyOf: (row: Row) => Key,
): Promise<Row[]> {
  return Array.fromAsync(everyRow(read, keyOf));
}
