import { eq, type SQL } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { historyPermits } from '../../drizzle/schema.ts';
import { insertRows } from '../database/insert-rows.ts';
import type { Database } from '../database/open.ts';

/**
 * Statements that remove values from entries, from the first to the last id, with a permit for them alone: it is given if
 * `source` (the rest of the query) has a row.
 */
export function permitted(
  db: Database,
  [firstId, lastId]: readonly [SQL | number, SQL | number],
  source: SQL,
  ...statements: BatchItem<'sqlite'>[]
) {
  return [
    insertRows(db, historyPermits, { id: 1, permission: 'remove_values', firstId, lastId }, source),
    ...statements,
    db.delete(historyPermits).where(eq(historyPermits.id, 1)),
  ] as const;
}
