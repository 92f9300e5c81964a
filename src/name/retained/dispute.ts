import { and, eq, sql } from 'drizzle-orm';
import { disputes } from '../../../drizzle/schema.ts';
import { difference } from '../../change/history/changes.ts';
import type { Operation } from '../../change/origin.ts';
import { type Change, changeOf } from '../../change/write.ts';

export type Dispute = typeof disputes.$inferSelect;

/** Closes a dispute at this time, or opens it again with null. The history keeps the reason. */
export function closingUpdate(
  operation: Operation,
  dispute: Dispute,
  closedAt: string | null,
  reason: string,
): Change<void> {
  const { id, name } = dispute;
  const change = changeOf(operation, subjectOf(dispute));
  return {
    ...change,
    action: 'update',
    changes: closingChanges(dispute, closedAt, reason),
    // An id can be reused after a deletion. The name shows that it is the same dispute.
    onlyIf: sql`exists (
      select 1 from ${disputes}
        where id = ${id} and name = ${name} and closed_at is ${dispute.closedAt})`,
    statements: [
      operation.db
        .update(disputes)
        .set({ closedAt })
        .where(and(eq(disputes.id, id), change.isWritten)),
    ],
    outcome: undefined,
  };
}

export function closingChanges(dispute: Dispute, closedAt: string | null, reason: string) {
  return { ...difference(dispute, { closedAt }), reason: { from: null, to: reason } };
}

export function subjectOf({ name }: Pick<Dispute, 'name'>) {
  return { type: 'dispute', key: name } as const;
}
