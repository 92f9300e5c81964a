/** Every row of a query that is read in pages, each after the last row of the one before. */
export async function* everyPage<Row>(
  limit: number,
  read: (after: Row | undefined, limit: number) => Promise<Row[]>,
): AsyncGenerator<Row, void> {
  let last: Row | undefined;
  for (;;) {
    const rows = await read(last, limit);
    yield* rows;
    last = rows.at(-1);
    if (rows.length < limit) return;
  }
}
