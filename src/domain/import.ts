import { jsonArrays } from '../database/json-rows.ts';
import type { Database } from '../database/open.ts';
import { retried } from '../database/retry.ts';
import { isForeignKeyViolation } from '../database/violations.ts';
import { RegistryError, throwProblems } from '../error.ts';
import { type ChangeOptions, changeEach, type Origin } from '../write.ts';
import { type DomainRow, domainChanges, domainRow } from './change.ts';
import { loadDomains } from './read.ts';
import {
  type DomainRecord,
  type ImportedDomain,
  loadParties,
  problemsOf,
  withKept,
} from './record.ts';

/**
 * Makes the domains and their contacts equal to the records, all domains or none. The last record of a repeated name
 * counts. Also counts the domains that lose all contacts of a role. It is one batch, for about ten thousand records at a time. Throws `not_found` with a problem for each unknown
 * registrar and contact.
 */
export async function importDomains(
  db: Database,
  origin: Origin,
  records: readonly ImportedDomain[],
  { isDryRun = false }: ChangeOptions = {},
) {
  const last = new Map(records.map((record) => [record.name, record]));
  return retried(async () => {
    const present = await loadDomains(db, [...last.keys()]);
    const distinct = Array.from(last.values(), (record) =>
      withKept(record, present.get(record.name)),
    );
    const parties = await loadParties(db, distinct);
    throwProblems(problemsOf(distinct, parties));
    const rowsOf = (some: readonly DomainRecord[]) =>
      some
        .map((record) => domainRow(record, parties, present.get(record.name)))
        .filter(({ changes }) => Object.keys(changes).length > 0);
    const created = rowsOf(distinct.filter(({ name }) => !present.has(name)));
    const updated = rowsOf(distinct.filter(({ name }) => present.has(name)));
    if (!isDryRun) await writeRows(db, origin, { created, updated });
    return {
      created: created.length,
      updated: updated.length,
      unchanged: distinct.length - created.length - updated.length,
      adminCleared: countCleared(updated, 'admin'),
      techCleared: countCleared(updated, 'tech'),
    };
  });
}

function countCleared(rows: readonly DomainRow[], role: 'admin' | 'tech'): number {
  return rows.filter(({ contacts, changes }) => {
    return role in changes && !contacts.some((contact) => contact.role === role);
  }).length;
}

/** Throws `changed_meanwhile` if a contact of the domains has just been deleted. */
async function writeRows(
  db: Database,
  origin: Origin,
  rows: Record<'created' | 'updated', readonly DomainRow[]>,
): Promise<void> {
  const { at } = origin.request;
  try {
    await changeEach(db, origin, {
      created: jsonArrays(rows.created).map((some) => domainChanges(db, 'create', some, at)),
      updated: jsonArrays(rows.updated).map((some) => domainChanges(db, 'update', some, at)),
    });
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error;
    throw new RegistryError(
      'changed_meanwhile',
      'somebody else deleted one of the contacts just now; import the file again',
    );
  }
}
