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
