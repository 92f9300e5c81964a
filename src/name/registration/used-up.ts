import { and, eq, type SQL } from 'drizzle-orm';
import { retainedDomains } from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import { type Change, type Origin, statementsOf } from '../../change/write.ts';

/** Statements of changes that follow from another one, each with its own history, if that is written. */
export function following(
  db: Database,
  { request }: Origin,
  isWritten: SQL,
  changes: readonly (Change<unknown> | false | undefined)[],
) {
  return changes.flatMap((change) =>
    change ? statementsOf(db, request, { ...change, onlyIf: isWritten }) : [],
  );
}

/** `usedPasswords` are the digests of those that are used up. */
export function passwordUpdate(
  db: Database,
  { actor }: Origin,
  name: string,
  values: { password: string; usedPasswords: SQL },
): Change<void> {
  const isReserved = and(eq(retainedDomains.name, name), eq(retainedDomains.status, 'reserved'));
  return {
    by: actor,
    subject: { type: 'retained_domain', key: name },
    action: 'update',
    changes: { password: { redacted: true } },
    statements: (isWritten) => [
      db.update(retainedDomains).set(values).where(and(isReserved, isWritten)),
    ],
    outcome: undefined,
  };
}
