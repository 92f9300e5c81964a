import { sql } from 'drizzle-orm';
import { domainRoles } from '../../drizzle/schema.ts';
import { jsonArrays } from '../base/database/json-rows.ts';
import type { Database } from '../base/database/open.ts';
import { type Problem, throwProblems } from '../base/error.ts';
import { difference } from '../change/history/changes.ts';
import type { Operation } from '../change/origin.ts';
import type { ChangesOfMany } from '../change/write-many.ts';
import { sameIdentitySince } from '../contact/entries.ts';
import { domainChanges, domainRow } from '../name/domain/change.ts';
import { judgeHandovers } from '../name/domain/handover.ts';
import { recordedName } from '../name/domain/operator/name.ts';
import { loadDomains } from '../name/domain/read.ts';
import { type DomainRecord, loadParties, type Parties, problemsOf } from '../name/domain/record.ts';
import { problemOf, type Reversal, valuesAfter } from './reversal.ts';

export type DomainRows = Awaited<ReturnType<typeof domainRows>>;

/**
 * Returns by name the rows for `domainChanges` to restore domains. Throws a problem for each contact of these domains: `not_found` if none has
 * its code, `changed_meanwhile` if it is another contact or another person's, `gone` if the history does not name its UUID. Throws
 * `changed_meanwhile` for each domain that no longer exists, and `conflict` for each disputed one that would get another person.
 */
export async function domainRows(operation: Operation, reversals: readonly Reversal[]) {
  const { db } = operation;
  const returned = reversals.filter(
    ({ subject, action }) => subject === 'domain' && action !== 'delete',
  );
  const names = returned.map(({ key }) => key);
  const present = await loadDomains(db, names);
  const removed = returned.filter(({ key, action }) => action === 'update' && !present.has(key));
  throwProblems(
    removed.map(({ entry }) => problemOf(entry, 'changed_meanwhile', 'it was removed meanwhile')),
  );
  const domains = returned.map(({ key, changes }) => {
    const values = { registrant: null, admin: [], tech: [], ...present.get(key) };
    const record = { ...recordedName(key), ...values, ...valuesAfter(changes) };
    return record as DomainRecord & { createdAt?: string };
  });
  const parties = await loadParties(db, domains);
  throwProblems(problemsOf(domains, parties));
  throwProblems((await judgeHandovers(operation, domains, present)).problems);
  const since = await identitiesSince(db, parties);
  throwProblems(returned.flatMap((reversal) => contactProblems(reversal, parties, since)));
  const rows = domains.map((domain) => {
    const { name, createdAt } = domain;
    const row = domainRow(domain, present.get(name), parties);
    const changes = { ...row.changes, ...difference({ ...present.get(name) }, { createdAt }) };
    return [name, { ...row, createdAt, changes }] as const;
  });
  return new Map(rows);
}

export function formerDomains(
  operation: Operation,
  reversals: readonly Reversal[],
  domains: DomainRows,
): ChangesOfMany[] {
  const action = reversals[0]!.action === 'create' ? 'create' : 'update';
  const rows = jsonArrays(reversals.map(({ key }) => domains.get(key)!));
  return rows.map((some) => domainChanges(operation, action, some));
}

/** By UUID, the history entry with which each contact's present identity began. */
async function identitiesSince(db: Database, { contacts }: Parties): Promise<Map<string, number>> {
  const since = new Map<string, number>();
  for (const uuids of jsonArrays(Array.from(contacts.values(), ({ uuid }) => uuid))) {
    const rows = await db.all<{ uuid: string; entry: number }>(sql`
      select asked.value as uuid, ${sameIdentitySince(sql`asked.value`)} as entry
      from json_each(${uuids}) as asked`);
    for (const { uuid, entry } of rows) since.set(uuid, entry);
  }
  return since;
}

/** A problem for each code of the restored domain that is, or may be, another person's now. */
function contactProblems(
  { changes, entry }: Reversal,
  { contacts }: Parties,
  since: ReadonlyMap<string, number>,
): Problem[] {
  const values = valuesAfter(changes);
  return domainRoles.flatMap((role) => {
    const recorded = entry.changes[role];
    const uuids = recorded && 'from' in recorded ? recorded.uuids : undefined;
    const codes = [values[role] ?? []].flat() as string[];
    return codes
      .filter((code) => {
        const { uuid } = contacts.get(code)!;
        return uuids?.[code] !== uuid || since.get(uuid)! > entry.id;
      })
      .map((code) =>
        uuids?.[code] === undefined
          ? problemOf(entry, 'gone', `the history does not say which contact ${code} was`)
          : problemOf(entry, 'changed_meanwhile', `${code} may be somebody else's now`),
      );
  });
}
