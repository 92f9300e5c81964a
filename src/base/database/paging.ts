export interface Page {
  /** 1 to 200. */
  limit: number;
  offset: number;
  /** The place in the order after which the page begins, whatever was added or deleted since. */
  after?: number | undefined;
  afterInstant?: string | undefined;
}

/** For a list that is read from end to end. */
export interface RowsAfter<Row> {
  after?: Row | undefined;
  limit: number;
}
