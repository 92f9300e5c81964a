import type { Database } from '../../../base/database/open.ts';
import type { RecordProblem } from '../../../base/error.ts';
import type { Operation } from '../../../change/origin.ts';
import type { DomainRow } from '../change.ts';
import type { Recorded } from '../read.ts';
import { type DomainRecord, type ImportedDomain, loadParties, problemsOf } from '../record.ts';
import { saveDomains, type WantedDomain } from '../save.ts';

export async function findDomainProblems(
  db: Database,
  records: readonly ImportedDomain[],
): Promise<RecordProblem<ImportedDomain>[]> {
  return problemsOf(records, await loadParties(db, records));
}

/**
 * Makes the domains and their contacts equal to the records, all or none, in one batch for about ten thousand records.
 * The last record of a repeated name counts. Also counts the domains that lose all contacts of a role. Throws
 * `not_found` with a problem for each unknown registrar and contact.
 */
export async function importDomains(operation: Operation, records: readonly ImportedDomain[]) {
  const wanted = new Map<string, WantedDomain>(
    records.map((record) => [record.name, (present) => withKept(record, present)]),
  );
  const { created, updated } = await saveDomains(operation, wanted, { isAllOrNone: true });
  return {
    created: created.length,
    updated: updated.length,
    unchanged: wanted.size - created.length - updated.length,
    adminCleared: countCleared(updated, 'admin'),
    techCleared: countCleared(updated, 'tech'),
  };
}

function countCleared(rows: readonly DomainRow[], role: 'admin' | 'tech'): number {
  return rows.filter(({ contacts, changes }) => {
    return role in changes && !contacts.some((contact) => contact.role === role);
  }).length;
}

export function withKept(
  record: ImportedDomain,
  present: Pick<Recorded, 'admin' | 'tech'> | undefined,
): DomainRecord {
  const { admin = [], tech = [] } = present ?? {};
  return { ...record, admin: record.admin ?? admin, tech: record.tech ?? tech };
}
