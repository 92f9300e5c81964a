import { eq, type SQL } from 'drizzle-orm';
import { type historyPermissions, historyPermits } from '../../drizzle/schema.ts';
import { insertRows } from '../database/insert-rows.ts';
import type { Database } from '../database/open.ts';

/**
 * The statement that lets those after it in the batch delete or change entries, from the first to the last id, if
 * `source` (the rest of the query) has a row.
 */
export function insertPermit(
  db: Database,
  permission: (typeof historyPermissions)[number],
  [firstId, lastId]: readonly [SQL | number, SQL | number],
  source: SQL,
) {
  return insertRows(db, historyPermits, { id: 1, permission, firstId, lastId }, source);
}

/** The statement that ends the permit; it follows the last one that needs the permit. */
export function endPermit(db: Database) {
  return db.delete(historyPermits).where(eq(historyPermits.id, 1));
}
