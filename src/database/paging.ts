export interface Page {
  /** 1 to 200. */
  limit: number;
  offset: number;
  /** A place in the order: the page begins after it, whatever has been added or deleted since. */
  after?: number | undefined;
  /** In an order by time, the time of that place. */
  afterInstant?: string | undefined;
}

/** A part of a list that is read from end to end: the rows after this one, in the list's order. */
export interface RowsAfter<Row> {
  after?: Row | undefined;
  limit: number;
}
