import { getTableName, is } from 'drizzle-orm';
import { SQLiteTable } from 'drizzle-orm/sqlite-core';
import * as schema from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';

/** D1's limit (d1/platform/limits). */
export const maximumDatabaseBytes = 10_000_000_000;

const tables = Object.values(schema).filter((value) => is(value, SQLiteTable)) as SQLiteTable[];

/** One round trip. D1 bills every row of an index of each table. */
export async function readSize(db: Database) {
  const counts = tables.map((table) =>
    db.$client.prepare(`select count(*) as count from ${getTableName(table)}`),
  );
  const results = await db.$client.batch<{ count: number }>(counts);
  const rows = tables.map(
    (table, index) => [getTableName(table), results[index]?.results[0]?.count ?? 0] as const,
  );
  return { bytes: results[0]?.meta.size_after ?? 0, rows: Object.fromEntries(rows) };
}

export type DatabaseSize = Awaited<ReturnType<typeof readSize>>;
