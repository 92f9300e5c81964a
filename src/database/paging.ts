/** A page of a listing. */
export interface Page {
  /** 1 to 200. */
  limit: number;
  offset: number;
  /** A place in the order, from `placeAfter`. The page begins after it, whatever has been added or deleted since. */
  after?: number | undefined;
}

/** The place after which the next page begins; undefined if this page is not full and therefore the last one. */
export function placeAfter<Row>(
  rows: readonly Row[],
  { limit }: Page,
  placeOf: (row: Row) => number,
): number | undefined {
  const last = rows.at(-1);
  return last === undefined || rows.length < limit ? undefined : placeOf(last);
}
