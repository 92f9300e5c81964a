import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core';
import { type Meter, newMeter } from './meter.ts';

// SQLite reads a missing column in Drizzle's double quotes as text.
SQLiteAsyncDialect.prototype.escapeName = (name) => `\`${name}\``;

export type Database = DrizzleD1Database & { $client: Connection };

type Connection = Pick<D1Database, 'prepare' | 'batch'>;

/** Counts round trips on the meter. Rows that change together go into one `batch`, D1's only transaction. */
export function openDatabase(binding: Connection, meter: Meter = newMeter()): Database {
  const count = () => {
    meter.d1 += 1;
  };
  const counted: Connection = {
    prepare: (query) => binding.prepare(query),
    async batch<Row>(statements: D1PreparedStatement[]) {
      count();
      const results = await binding.batch<Row>(statements);
      for (const { meta } of results) meter.rowsRead += meta.rows_read;
      return results;
    },
  };
  // Counts queries outside a batch, which Drizzle logs.
  return drizzle(counted as D1Database, { logger: { logQuery: count } });
}
