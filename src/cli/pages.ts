/** Every row of a list that is read in pages, each behind the last of the one before. */
export async function* everyPage<Row, Key>(
  read: (page: { after?: Key; limit: number }) => Promise<Row[]>,
  keyOf: (row: Row) => Key,
): AsyncGenerator<Row> {
  const limit = 5_000;
  let after: Key | undefined;
  for (;;) {
    const rows = await read({ limit, ...(after !== undefined && { after }) });
    yield* rows;
    const last = rows.at(-1);
    if (rows.length < limit || last === undefined) return;
    after = keyOf(last);
  }
}
