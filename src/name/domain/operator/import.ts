import type { RecordProblem } from '../../../base/error.ts';
import type { Operation } from '../../../change/origin.ts';
import { findAuctionObstacles } from '../../auction/operator/obstacles.ts';
import type { DomainRow } from '../change.ts';
import { judgeHandovers } from '../handover.ts';
import { loadDomains } from '../read.ts';
import { type ImportedDomain, loadParties, problemsOf } from '../record.ts';
import { saveDomains } from '../save.ts';

/** Finds unknown registrars and contacts, and disputed domains that would get another person. */
export async function findDomainProblems(
  operation: Operation,
  records: readonly ImportedDomain[],
): Promise<RecordProblem<ImportedDomain>[]> {
  const { db } = operation;
  const present = await loadDomains(
    db,
    records.map(({ name }) => name),
  );
  const { problems } = await judgeHandovers(operation, records, present);
  return [...problemsOf(records, await loadParties(db, records)), ...problems];
}

/**
 * Makes the domains and their contacts equal to the records, all or none, in one batch for about ten thousand records.
 * The last record of a repeated name counts. Also counts the domains that lose all contacts of a role, and those with a
 * contact of another registrar, and returns the
 * obstacles that new ones had to a registration or auction, as sentences. Throws the problems of `findDomainProblems`.
 */
export async function importDomains(operation: Operation, records: readonly ImportedDomain[]) {
  const wanted = new Map(records.map((record) => [record.name, record]));
  const { created, updated, foreign } = await saveDomains(operation, wanted, { isAllOrNone: true });
  const found = await findAuctionObstacles(operation, created, ['registered']);
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
