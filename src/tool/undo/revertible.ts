import { and, eq, gt, sql } from 'drizzle-orm';
import { history } from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import { mixedProblems, reversalProblems } from './problems.ts';
import { reversalOf } from './reversal.ts';

/**
 * Whether the changes of a request that has just been made are of a kind that can be taken back; undefined if the newest
 * entries of the history are not its own. The history has no index by request.
 */
export async function findRevertible(db: Database, request: string): Promise<boolean | undefined> {
  const isNew = gt(history.id, sql`(select max(id) from ${history} as newest) - 1000`);
  const entries = await db
    .select()
    .from(history)
    .where(and(isNew, eq(history.requestId, request)))
    .limit(100);
  if (entries.length === 0) return undefined;
  const problems = entries.flatMap((entry) => reversalProblems(entry, null));
  return [...problems, ...mixedProblems(entries.map(reversalOf))].length === 0;
}
