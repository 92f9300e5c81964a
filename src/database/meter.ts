export interface Meter {
  /** Round trips to D1, however many statements each carried. */
  d1: number;
  /** Only the statements of batches count: D1 reports no rows for a query outside a batch. */
  rowsRead: number;
  kvReads: number;
}

export function newMeter(): Meter {
  return { d1: 0, rowsRead: 0, kvReads: 0 };
}
