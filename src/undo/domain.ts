import { sql } from 'drizzle-orm';
import { domainRoles } from '../../drizzle/schema.ts';
import { jsonArrays } from '../base/database/json-rows.ts';
import type { Database } from '../base/database/open.ts';
import type { RecordProblem } from '../base/error.ts';
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

export type DomainRows = Awaited<ReturnType<typeof judgeRestoredDomains>>['rows'];

/**
 * Returns by name the rows for `domainChanges` to restore domains, and the problems of those that cannot be restored:
 * `changed_meanwhile` if the domain no longer exists; `conflict` if it is disputed and would get another person; for each of its
 * contacts `not_found` if none has its code, `changed_meanwhile` if it is another contact or another person's, `gone` if the history
 * does not name its UUID.
 */
export async function judgeRestoredDomains(operation: Operation, reversals: readonly Reversal[]) {
  const { db } = operation;
  const returned = new Map(
    reversals
      .filter(({ subject, action }) => subject === 'domain' && action !== 'delete')
      .map((reversal) => [reversal.key, reversal]),
  );
  const present = await loadDomains(db, [...returned.keys()]);
  const problems: RecordProblem<Reversal>[] = [];
  const domains: (DomainRecord & { createdAt?: string })[] = [];
  for (const [name, record] of returned) {
    const { action, changes, entry } = record;
    if (action === 'update' && !present.has(name)) {
      const problem = problemOf(entry, 'changed_meanwhile', 'it was removed meanwhile');
      problems.push({ ...problem, record });
      continue;
    }
    const values = { registrant: null, admin: [], tech: [], ...present.get(name) };
    domains.push({ ...recordedName(name), ...values, ...valuesAfter(changes) } as DomainRecord);
  }
  const parties = await loadParties(db, domains);
  const { problems: disputed } = await judgeHandovers(operation, domains, present);
  for (const { record: domain, ...problem } of problemsOf(domains, parties)) {
    const record = returned.get(domain.name)!;
    const { reason, message } = problem;
    problems.push({ ...problem, ...problemOf(record.entry, reason, message), record });
  }
  for (const problem of disputed) {
    problems.push({ ...problem, record: returned.get(problem.record.name)! });
  }
  const since = await identitiesSince(db, parties);
  for (const record of returned.values()) problems.push(...contactProblems(record, parties, since));
  const refused = new Set(problems.map(({ record }) => record.key));
  const rows = domains
    .filter(({ name }) => !refused.has(name))
    .map((domain) => {
      const { name, createdAt } = domain;
      const row = domainRow(domain, present.get(name), parties);
      const changes = { ...row.changes, ...difference({ ...present.get(name) }, { createdAt }) };
      return [name, { ...row, createdAt, changes }] as const;
    });
  return { rows: new Map(rows), problems };
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

/** A problem for each contact of the restored domain that is, or may be, another person's now. */
function contactProblems(
  record: Reversal,
  { contacts }: Parties,
  since: ReadonlyMap<string, number>,
): RecordProblem<Reversal>[] {
  const { changes, entry } = record;
  const values = valuesAfter(changes);
  return domainRoles.flatMap((role) => {
    const recorded = entry.changes[role];
    const uuids = recorded && 'from' in recorded ? recorded.uuids : undefined;
    const codes = [values[role] ?? []].flat() as string[];
    return codes.flatMap((code) => {
      const uuid = contacts.get(code)?.uuid;
      if (uuid === undefined || (uuids?.[code] === uuid && since.get(uuid)! <= entry.id)) return [];
      const problem =
        uuids?.[code] === undefined
          ? problemOf(entry, 'gone', `the history does not say which contact ${code} was`)
          : problemOf(entry, 'changed_meanwhile', `${code} may be somebody else's now`);
      return [{ ...problem, record }];
    });
  });
}
