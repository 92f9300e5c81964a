import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';

/** D1 accepts 2,000,000 bytes in a bound value, and a character has at most three. */
const maximumJsonLength = 500_000;

/** Each array fits one bound value. With `json_each`, one statement takes thousands of rows. */
export function jsonArrays(rows: Iterable<unknown>): string[] {
  return [...chunkedJson(rows)];
}

/** Yields one array at a time, so that memory need not hold all rows. */
export function* chunkedJson(rows: Iterable<unknown>): Generator<string> {
  let array = '';
  for (const row of rows) {
    const json = JSON.stringify(row);
    if (array !== '' && array.length + json.length > maximumJsonLength) {
      yield `[${array}]`;
      array = '';
    }
    array += array === '' ? json : `,${json}`;
  }
  if (array !== '') yield `[${array}]`;
}

/** Selects the elements of a JSON array, as JSON in the column `row`. */
export function rowsIn(array: string): SQL {
  return sql`select value as row from json_each(${array})`;
}

/** `values` is a JSON array. */
export function isIn(column: SQLWrapper, values: string): SQL {
  return sql`${column} in (select value from json_each(${values}))`;
}
