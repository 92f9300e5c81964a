import { fillPlaceholders, type Query, type SQLWrapper } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core';
import type { Database } from './open.ts';

/** A query for a batch, whose result is the rows as D1 gives them. */
export type PreparedQuery<Row> = BatchItem<'sqlite'> & { _: { result: Row[] } };

const dialect = new SQLiteAsyncDialect();

/**
 * A query whose SQL is made once for the isolate, at its first use, and run with other values for its placeholders
 * each time: for the queries that are asked most, because Drizzle takes longer to make SQL than SQLite to answer it.
 * Each column wants a name of its own (`as`); what is stored as JSON comes as text.
 */
export function prepared<Row>(query: () => SQLWrapper) {
  let made: Query | undefined;
  return (db: Database, values: Record<string, unknown>): PreparedQuery<Row> => {
    made ??= dialect.sqlToQuery(query().getSQL());
    const { sql, params } = made;
    const filled = { sql, params: fillPlaceholders(params, values) };
    // What `SQLiteD1Session.batch` asks of a query: drizzle-orm 0.45.4, d1/session.js. A test compares it with the one
    // that is installed.
    const item = {
      _prepare: () => item,
      getQuery: () => filled,
      stmt: db.$client.prepare(sql),
      mapResult: ({ results }: D1Result<Row>) => results,
    };
    return item as unknown as PreparedQuery<Row>;
  };
}
