import { sql } from 'drizzle-orm';
import { jsonArrays, rowsIn } from '../database/json-rows.ts';
import type { Database } from '../database/open.ts';
import { findNewestId, nothingSince } from '../history/search.ts';
import {
  type Change,
  type ChangeOfSeenOptions,
  changeEach,
  changesOfRows,
  type Origin,
} from '../write.ts';
import { deleteDomains, removalRow } from './change.ts';
import { loadDomains, type Recorded } from './read.ts';
import { saveDomains } from './save.ts';

/** The change that removes a domain, or nothing if it is not there. */
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

/** Removes the domain, if it is there. */
export async function removeDomain(db: Database, origin: Origin, name: string): Promise<void> {
  await saveDomains(db, origin, new Map([[name, () => undefined]]));
}

/**
 * Removes those of the domains that exist, with their links to contacts, all or none, and returns how many. It is one
 * batch, for about ten thousand names at a time. Throws `changed_meanwhile`.
 */
export async function removeDomains(
  db: Database,
  origin: Origin,
  names: readonly string[],
  { isDryRun = false, seen }: ChangeOfSeenOptions = {},
): Promise<number> {
  const since = seen ?? (await findNewestId(db));
  const present = await loadDomains(db, [...new Set(names)]);
  if (isDryRun) return present.size;
  const rows = [...present].map(([name, domain]) => removalRow(name, domain));
  const removals = jsonArrays(rows)
    .map(rowsIn)
    .map((some) => changesOfRows('domain', 'delete', some, deleteDomains(db, some)));
  const isAsLoaded = nothingSince(since, 'domain', names);
  return (await changeEach(db, origin, { removed: removals }, isAsLoaded)).removed;
}
