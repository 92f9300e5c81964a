import { inject } from 'vitest';

/** Whether rows are counted, as D1 alone does. */
export const countsRows = inject('isDeep');

/** The expected rows of a cost, where they are counted. */
export function countedRows<Rows extends object>(rows: Rows): Partial<Rows> {
  return countsRows ? rows : {};
}
