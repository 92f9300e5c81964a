import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../base/database/open.ts';
import { type Change, type Origin, statementsOf } from '../../change/write.ts';
import type { DomainName } from '../domain/name.ts';
import { namesIn, updates } from '../retained/change-names.ts';

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

export function passwordUpdate(
  db: Database,
  { actor }: Origin,
  { name, punycode }: DomainName,
  password: string,
): Change<void> {
  const row = JSON.stringify({ name, punycode, status: 'reserved', password });
  return {
    by: actor,
    subject: { type: 'retained_domain', key: name },
    action: 'update',
    changes: { password: { redacted: true } },
    statements: (isWritten) =>
      updates(db, namesIn(sql`select ${row} as row where ${isWritten}`)).statements,
    outcome: undefined,
  };
}
