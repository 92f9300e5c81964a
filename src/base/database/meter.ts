export interface Meter {
  d1: number;
  /** Only batches count, because D1 reports no rows for other queries. */
  rowsRead: number;
  kvReads: number;
}

export function newMeter(): Meter {
  return { d1: 0, rowsRead: 0, kvReads: 0 };
}
