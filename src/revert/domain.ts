import type { Database } from '../database/open.ts';
import { domainRow } from '../domain/change.ts';
import { parseDomainName } from '../domain/name.ts';
import { loadDomains } from '../domain/read.ts';
import { type DomainRecord, loadParties, problemsOf } from '../domain/record.ts';
import { throwProblems } from '../error.ts';
import { difference } from '../history/changes.ts';
import { type Reversal, valuesAfter } from './reversal.ts';

/**
 * The rows from which `domainChanges` makes domains as they were. Throws `not_found` for each contact that was deleted
 * since.
 */
export async function domainRows(db: Database, reversals: readonly Reversal[]) {
  const meant = reversals.filter(
    ({ subject, action }) => subject === 'domain' && action !== 'delete',
  );
  const present = await loadDomains(
    db,
    meant.map(({ key }) => key),
  );
  const domains = meant.map(({ key, changes }) => {
    const values = { admin: [], tech: [], ...present.get(key), ...valuesAfter(changes) };
    return { ...parseDomainName(key), ...values } as DomainRecord & { createdAt?: string };
  });
  const parties = await loadParties(db, domains);
  throwProblems(problemsOf(domains, parties));
  return domains.map((domain) => {
    const { name, createdAt } = domain;
    const row = domainRow(domain, parties, present.get(name));
    const changes = { ...row.changes, ...difference({ ...present.get(name) }, { createdAt }) };
    return { ...row, createdAt, changes };
  });
}
