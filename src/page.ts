/** A page of a listing. */
export interface Page {
  /** 1 to 200. */
  limit: number;
  offset: number;
  /** A place in the order, as `placeAfter` gives it: the page begins after it, whatever came and went since. */
  after?: number | undefined;
}

/** The place where the page after these rows begins; undefined where this page is not full, and so the last. */
export function placeAfter<Row>(
  rows: readonly Row[],
  { limit }: Page,
  placeOf: (row: Row) => number,
): number | undefined {
  const last = rows.at(-1);
  return last === undefined || rows.length < limit ? undefined : placeOf(last);
}
