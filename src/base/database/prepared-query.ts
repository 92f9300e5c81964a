import { fillPlaceholders, type Query, type SQLWrapper } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core';
import type { Database } from './open.ts';

/** Its result has the rows as D1 returns them. */
type PreparedQuery<Row> = BatchItem<'sqlite'> & { _: { result: Row[] } };

const dialect = new SQLiteAsyncDialect();

/**
 * Makes the SQL once per isolate, because that takes longer than running it. Give each column its own name (`as`).
 * Columns stored as JSON arrive as text.
 */
export function prepared<Row>(query: () => SQLWrapper) {
  let statement: Query | undefined;
  return (db: Database, values: Record<string, unknown>): PreparedQuery<Row> => {
    statement ??= dialect.sqlToQuery(query().getSQL());
    const { sql, params } = statement;
    const filled = { sql, params: fillPlaceholders(params, values) };
    // The form that `SQLiteD1Session.batch` expects: drizzle-orm 0.45.4, d1/session.js. A test compares it with the
    // installed version.
    const item = {
      _prepare: () => item,
      getQuery: () => filled,
      stmt: db.$client.prepare(sql),
      mapResult: ({ results }: D1Result<Row>) => results,
    };
    return item as unknown as PreparedQuery<Row>;
  };
}
