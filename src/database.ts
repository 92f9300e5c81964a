import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';
import { type Meter, newMeter } from './meter.ts';

export type Database = DrizzleD1Database & { $client: Pick<D1Database, 'prepare'> };

/** The binding, or a session on it. */
type Connection = Pick<D1Database, 'prepare' | 'batch'>;

/**
 * Drizzle on D1, its round trips counted on the meter. Rows that change together go in one `batch`, the only
 * transaction that D1 has.
 */
export function openDatabase(binding: Connection, meter: Meter = newMeter()): Database {
  const count = () => {
    meter.d1 += 1;
  };
  const counted: Connection = {
    prepare: (query) => binding.prepare(query),
    batch: (statements) => {
      count();
      return binding.batch(statements);
    },
  };
  // What is run by itself, outside a batch, Drizzle tells its logger.
  return drizzle(counted as D1Database, { logger: { logQuery: count } });
}

/** Whether a write was refused because of a unique index; `columns` is SQLite's `table.column[, …]`. */
export function isUniqueViolation(error: unknown, columns: string): boolean {
  return mentions(error, `UNIQUE constraint failed: ${columns}`);
}

/** Whether a write was refused because another row refers to this one, or to one that is not there. */
export function isForeignKeyViolation(error: unknown): boolean {
  return mentions(error, 'FOREIGN KEY constraint failed');
}

/**
 * Whether D1 failed because of the bookmark that a session was to begin at: one of another database, or from before a
 * restore. Its documentation has no error for it, so that any which names the bookmark is taken for it.
 */
export function isAboutBookmark(error: unknown): boolean {
  return mentions(error, 'ookmark');
}

/** D1 and Drizzle tell what SQLite said in the message alone, of the error or of its cause. */
function mentions(error: unknown, text: string): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.message.includes(text)) return true;
  }
  return false;
}

/** D1's passing faults: the list of its documentation (d1/best-practices/retry-queries). */
const passingFaults = [
  'Network connection lost',
  'storage caused object to be reset',
  'reset because its code was updated',
];

const maximumTries = 4;
/** Errors of what was tried often enough: whoever repeats a whole attempt does not begin again. */
const givenUp = new WeakSet<object>();
const firstPauseMilliseconds = 20;

/**
 * Repeats what failed by a passing fault of D1, after a pause that doubles each time. Only for reads, and for writes
 * that can tell whether an earlier try, though reported as failed, was done: `isRepeated` says there was one.
 */
export async function retried<Result>(
  attempt: (isRepeated: boolean) => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt(tries > 1);
    } catch (error) {
      const isPassing = passingFaults.some((text) => mentions(error, text));
      if (!isPassing || givenUp.has(error as Error)) throw error;
      if (tries === maximumTries) {
        givenUp.add(error as Error);
        throw error;
      }
      await pause(firstPauseMilliseconds * 2 ** (tries - 1) * (0.5 + Math.random()));
    }
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Each lost race costs another look; so many in a row is a row that changes faster than it can be read. */
const maximumAttempts = 16;
/** Who has lost waits for a random time, up to twice as long after each loss, or those who lost together meet again. */
const firstWaitMilliseconds = 10;
const maximumWaitMilliseconds = 1_000;

/**
 * Repeats an attempt, which reads a row and writes to it if nobody else has, until it gives a result; also after a
 * passing fault, of which `isRepeated` tells as in `retried`.
 */
export function untilWritten<Result>(
  attempt: (isRepeated: boolean) => Promise<Result | undefined>,
): Promise<Result> {
  return retried(async (isRepeated) => {
    for (let count = 0; count < maximumAttempts; count++) {
      const result = await attempt(isRepeated);
      if (result !== undefined) return result;
      const wait = Math.min(firstWaitMilliseconds * 2 ** count, maximumWaitMilliseconds);
      await pause(wait * Math.random());
    }
    throw new Error('the row was changed by others at every attempt');
  });
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
