import { retry } from '../../../base/database/retry.ts';
import type { RecordProblem } from '../../../base/error.ts';
import type { Operation } from '../../../change/origin.ts';
import { findAuctionObstacles } from '../../auction/operator/obstacles.ts';
import type { DomainRow } from '../change.ts';
import { loadDomains } from '../read.ts';
import type { ImportedDomain } from '../record.ts';
import { judgeDomains, saveDomains } from '../save.ts';

/** As `importDomains` would. */
export async function findDomainProblems(
  operation: Operation,
  records: readonly ImportedDomain[],
): Promise<RecordProblem<ImportedDomain>[]> {
  const names = records.map(({ name }) => name);
  const present = await loadDomains(operation.db, names);
  return (await judgeDomains(operation, records, present)).problems;
}

/**
 * Makes the domains and their contacts equal to the records: all or none, so at most some ten thousand. The last record
 * of a repeated name counts. Also counts the domains that lose all contacts of a role, and those with a contact of
 * another registrar, and returns the obstacles that new ones had to a registration or auction, as sentences. Doesn't ask
 * whether the zones are this registry's. Throws the problems of `findDomainProblems`.
 */
export async function importDomains(operation: Operation, records: readonly ImportedDomain[]) {
  const wanted = new Map(records.map((record) => [record.name, record]));
  const { created, updated, foreign } = await saveDomains(operation, wanted, { isAllOrNone: true });
  const found = await retry(() => findAuctionObstacles(operation, created, ['registered']));
  return {
    created: created.length,
    updated: updated.length,
    unchanged: wanted.size - created.length - updated.length,
    adminCleared: countCleared(updated, 'admin'),
    techCleared: countCleared(updated, 'tech'),
    foreign,
    obstacles: found.map(({ message }) => message),
  };
}

function countCleared(rows: readonly DomainRow[], role: 'admin' | 'tech'): number {
  return rows.filter(({ contacts, changes }) => {
    return role in changes && !contacts.some((contact) => contact.role === role);
  }).length;
}
