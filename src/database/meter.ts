/** The cost of a request so far, in the units that the platform bills. */
export interface Meter {
  /** Round trips to D1, however many statements each carried. */
  d1: number;
  /** By the statements of batches: D1 reports none for a query outside a batch. */
  rowsRead: number;
  kvReads: number;
}

export function newMeter(): Meter {
  return { d1: 0, rowsRead: 0, kvReads: 0 };
}
