import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';

export type Database = DrizzleD1Database;

/** Drizzle on D1. Rows that change together go in one `batch`, the only transaction that D1 has. */
export function openDatabase(binding: D1Database): Database {
  return drizzle(binding);
}

/** Whether a write was refused because of a unique index; `columns` is SQLite's `table.column[, …]`. */
export function isUniqueViolation(error: unknown, columns: string): boolean {
  return mentions(error, `UNIQUE constraint failed: ${columns}`);
}

/** Whether a write was refused because another row refers to this one, or to one that is not there. */
export function isForeignKeyViolation(error: unknown): boolean {
  return mentions(error, 'FOREIGN KEY constraint failed');
}

/** D1 and Drizzle tell what SQLite said in the message alone, of the error or of its cause. */
function mentions(error: unknown, text: string): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.message.includes(text)) return true;
  }
  return false;
}

/** Each lost race costs another look; ten in a row is a row that changes faster than it can be read. */
const maximumAttempts = 10;

/** Repeats an attempt, which reads a row and writes to it if nobody else has, until it gives a result. */
export async function untilWritten<Result>(
  attempt: () => Promise<Result | undefined>,
): Promise<Result> {
  for (let count = 0; count < maximumAttempts; count++) {
    const result = await attempt();
    if (result !== undefined) return result;
  }
  throw new Error('the row was changed by others at every attempt');
}

/** Characters of JSON in one bound value: D1 takes 2,000,000 bytes, and a character has three at most. */
const maximumJsonLength = 500_000;

/** The rows as JSON arrays that a bound value can hold, for `json_each`: so a statement takes thousands of rows. */
export function jsonArrays(rows: Iterable<unknown>): string[] {
  const arrays: string[] = [];
  let array = '';
  for (const row of rows) {
    const json = JSON.stringify(row);
    if (array !== '' && array.length + json.length > maximumJsonLength) {
      arrays.push(`[${array}]`);
      array = '';
    }
    array += array === '' ? json : `,${json}`;
  }
  if (array !== '') arrays.push(`[${array}]`);
  return arrays;
}
