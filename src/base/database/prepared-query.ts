import { fillPlaceholders, type Query, type SQLWrapper } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core';
import type { Database } from './open.ts';

/** The result is the rows as D1 returns them. */
export type PreparedQuery<Row> = BatchItem<'sqlite'> & { _: { result: Row[] } };

const dialect = new SQLiteAsyncDialect();

/**
 * Makes the query's SQL once per isolate, which takes longer than running it. Give each column its own name (`as`);
 * columns stored as JSON arrive as text.
 */
export function prepared<Row>(query: () => SQLWrapper) {
  let made: Query | undefined;
  return (db: Database, values: Record<string, unknown>): PreparedQuery<Row> => {
    made ??= dialect.sqlToQuery(query().getSQL());
    const { sql, params } = made;
    const filled = { sql, params: fillPlaceholders(params, values) };
    // `SQLiteD1Session.batch` expects this of a query: drizzle-orm 0.45.4, d1/session.js. A test compares this with the
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
