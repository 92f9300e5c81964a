export interface Page {
  /** 1 to 200. */
  limit: number;
  offset: number;
  /** The place in the order after which the page begins, whatever has been added or deleted since. */
  after?: number | undefined;
  /** The time of that place, in an order by time. */
  afterInstant?: string | undefined;
}

/** A part of a list that is read from end to end: the rows after `after`, in the list's order. */
export interface RowsAfter<Row> {
  after?: Row | undefined;
  limit: number;
}
