import { getTableColumns, SQL, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Database } from './open.ts';

/** A value or an expression for each column, by name; columns with a default may be left out. */
type ColumnValues<Table extends SQLiteTable> = {
  [Column in keyof Table['$inferInsert']]: SQL | Table['$inferInsert'][Column];
};

/**
 * Inserts one row for each row of `source`, which is the rest of the query: `from …`, or only `where …` for one row or
 * none.
 */
export function insertRows<Table extends SQLiteTable>(
  db: Database,
  table: Table,
  values: ColumnValues<Table>,
  source: SQL,
) {
  // Drizzle lists all these columns in the insert, in this order.
  const selected = Object.entries(getTableColumns(table))
    .filter(([, column]) => column.generated === undefined)
    .map(([name, column]) => {
      const value = (values as Record<string, unknown>)[name] ?? column.default ?? null;
      return value instanceof SQL ? value : sql`${sql.param(value, column)}`;
    });
  return db.insert(table).select(sql`select ${sql.join(selected, sql`, `)} ${source}`);
}
