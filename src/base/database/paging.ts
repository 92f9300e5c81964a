export interface Page {
  /** 1 to 200. */
  limit: number;
  offset: number;
  /** The place in the order after which the page begins, whatever was added or deleted since. */
  after?: number | undefined;
  /** What stands before that place in an order by time, by day or, after `=`, by name. */
  afterKey?: string | undefined;
}

export type Order = 'number' | 'time' | 'day' | 'name';

/** For a list that is read from end to end. */
export interface RowsAfter<Row> {
  after?: Row | undefined;
  limit: number;
}
