export interface Meter {
  /** However many statements each carried. */
  d1: number;
  /** D1 reports no rows for a query outside a batch, so only batches count. */
  rowsRead: number;
  kvReads: number;
}

export function newMeter(): Meter {
  return { d1: 0, rowsRead: 0, kvReads: 0 };
}
