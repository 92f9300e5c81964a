export interface Page {
  /** 1 to 200. */
  limit: number;
  offset: number;
  /** Where in the order the page begins, whatever has been added or deleted since. */
  after?: number | undefined;
  /** The time of that place, in an order by time. */
  afterInstant?: string | undefined;
}

/** The rows after `after` of a list that is read from end to end. */
export interface RowsAfter<Row> {
  after?: Row | undefined;
  limit: number;
}
