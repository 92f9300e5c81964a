import { sql } from 'drizzle-orm';
import type { Database } from '../../base/database/open.ts';
import type { Change, ChangeOfSeenOptions, Origin } from '../../change/write.ts';
import { deleteDomains, removalRow } from './change.ts';
import type { Recorded } from './read.ts';
import { saveDomains } from './save.ts';

export function domainRemoval(
  db: Database,
  { actor }: Origin,
  name: string,
  present: Recorded | undefined,
): Omit<Change<never>, 'outcome'> {
  const change = { by: actor, action: 'delete' } as const;
  if (!present) {
    return { ...change, subject: { type: 'domain', key: name, registrar: null }, changes: {} };
  }
  const { registrar, changes } = removalRow(name, present);
  return {
    ...change,
    subject: { type: 'domain', key: name, registrar },
    changes,
    statements: (isWritten) =>
      deleteDomains(db, sql`select json_object('name', ${name}) as row where ${isWritten}`),
  };
}

/**
 * Removes those that exist, with their links to contacts, all or none, and counts them. It is one batch, for about ten
 * thousand names at a time. Throws `changed_meanwhile` if one has changed since it was `seen`.
 */
export async function removeDomains(
  db: Database,
  origin: Origin,
  names: readonly string[],
  options: ChangeOfSeenOptions = {},
): Promise<{ removed: number }> {
  const wanted = new Map(names.map((name) => [name, () => undefined]));
  return saveDomains(db, origin, wanted, options);
}
