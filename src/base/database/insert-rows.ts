import { getTableColumns, SQL, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Database } from './open.ts';

/** Ids and counters that the database sets itself. */
type Counter<Table extends SQLiteTable> = {
  [Column in keyof Table['$inferSelect']]: undefined extends Table['$inferInsert'][Column]
    ? Table['$inferSelect'][Column] extends number
      ? Column
      : never
    : never;
}[keyof Table['$inferSelect']];

/** Requires every other column, if only as null, so that none is forgotten. */
export type NewRow<Table extends SQLiteTable> = Omit<Table['$inferSelect'], Counter<Table>> &
  Partial<Pick<Table['$inferSelect'], Counter<Table>>>;

type ColumnValues<Table extends SQLiteTable> = {
  [Column in keyof NewRow<Table>]: SQL | NewRow<Table>[Column];
};

/** Inserts a row for each row of `source`: the rest of the query, `from …`, or `where …` for one row or none. */
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

/** Reads each column from a `NewRow` in JSON, in the column `row` of a query. */
export function valuesInJson<Table extends SQLiteTable>(table: Table) {
  const values = Object.entries(getTableColumns(table)).map(([name, column]) => {
    const value = sql`row ->> ${sql.raw(`'${name}'`)}`;
    const { default: missing } = column;
    return [
      name,
      missing === undefined ? value : sql`ifnull(${value}, ${sql.param(missing, column)})`,
    ];
  });
  return Object.fromEntries(values) as Record<keyof NewRow<Table>, SQL>;
}
