import { type Placeholder, type SQL, sql } from 'drizzle-orm';

/** The plus stops SQLite from using the indexes on days: it would read all disputes for a few names. */
export function isInForce(day: string | Placeholder): SQL {
  return sql`+first_day <= ${day} and +last_day >= ${day} and closed_at is null`;
}
