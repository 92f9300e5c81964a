import { and, sql } from 'drizzle-orm';
import { jsonArrays, rowsIn } from '../../base/database/json-rows.ts';
import { throwProblems } from '../../base/error.ts';
import { nothingSince } from '../../change/history/search.ts';
import type { Operation } from '../../change/origin.ts';
import { type Change, changeOf } from '../../change/write.ts';
import {
  changeEach,
  changesOfRows,
  type SeenOperation,
  writeMany,
} from '../../change/write-many.ts';
import { noIdentitySince } from '../../contact/entries.ts';
import { deleteDomains, domainChanges, domainRow, removalRow } from './change.ts';
import { closings, judgeHandovers } from './handover.ts';
import { loadDomains, type StoredDomain } from './read.ts';
import {
  hasForeignContact,
  type ImportedDomain,
  loadParties,
  problemsOf,
  type WantedDomain,
  wholeDomain,
} from './record.ts';

interface SaveOptions {
  isAllOrNone?: boolean;
  /** Leaves out domains that are not there. */
  mustExist?: boolean;
  /** Closes the disputes that have it. */
  disputePassword?: string | undefined;
}

/**
 * Writes at most some ten thousand domains in one batch. A record with an unknown registrar or contact, or that gives a
 * disputed domain to another person, changes nothing, and its problems are returned by name; with `isAllOrNone`, throws
 * them as `not_found` and `conflict`. Undefined removes a domain. Costs six round trips at most without a lost race.
 * Throws `changed_meanwhile` if a domain has changed since it was `seen`.
 */
export function saveDomains(
  operation: SeenOperation,
  wanted: ReadonlyMap<string, WantedDomain | undefined>,
  { isAllOrNone = false, mustExist = false, disputePassword }: SaveOptions = {},
) {
  const { db } = operation;
  const names = [...wanted.keys()];
  const plan = async (lastEntryId: number) => {
    const present = await loadDomains(db, names);
    const records = [...wanted].flatMap(([name, domain]) =>
      domain && (present.has(name) || !mustExist)
        ? (wholeDomain(domain, present.get(name)) ?? [])
        : [],
    );
    const judged = await judgeDomains(operation, records, present, disputePassword);
    const { parties, handovers } = judged;
    const problems = Map.groupBy(judged.problems, ({ record }) => record.name);
    if (isAllOrNone) throwProblems([...problems.values()].flat());
    const rowsOf = (isPresent: boolean) =>
      records
        .filter(({ name }) => !problems.has(name) && present.has(name) === isPresent)
        .map((record) => domainRow(record, present.get(record.name), parties))
        .filter(({ changes }) => Object.keys(changes).length > 0);
    const [created, updated] = [rowsOf(false), rowsOf(true)];
    const wantedNames = new Set(records.map(({ name }) => name));
    const removed = [...present]
      .filter(([name]) => !wantedNames.has(name))
      .map(([name, domain]) => removalRow(name, domain));
    const changes = {
      created: jsonArrays(created).map((array) => domainChanges(operation, 'create', array)),
      updated: jsonArrays(updated).map((array) => domainChanges(operation, 'update', array)),
      removed: jsonArrays(removed)
        .map(rowsIn)
        .map((rows) => changesOfRows('domain', 'delete', rows, deleteDomains(db, rows))),
      closed: closings(operation, handovers.closed),
    };
    const isAsSeen = and(
      nothingSince(lastEntryId, 'domain', names),
      nothingSince(lastEntryId, 'dispute', handovers.names),
      handovers.isAnyDisputed ? noIdentitySince(lastEntryId) : undefined,
    );
    const write = () => changeEach(operation, changes, isAsSeen);
    const counts = {
      foreign: records.filter((record) => hasForeignContact(record, parties)).length,
      removed: removed.length,
      closed: handovers.closed.length,
    };
    return { outcome: { records, created, updated, problems, ...counts }, write };
  };
  return writeMany(operation, `domain ${names[0]}`, plan);
}

/** Finds unknown registrars and contacts, and disputed domains that would get another person. */
export async function judgeDomains<Domain extends ImportedDomain>(
  operation: Operation,
  records: readonly Domain[],
  present: ReadonlyMap<string, StoredDomain>,
  disputePassword?: string,
) {
  const parties = await loadParties(operation.db, records);
  const handovers = await judgeHandovers(operation, records, present, disputePassword);
  return { parties, handovers, problems: [...problemsOf(records, parties), ...handovers.problems] };
}

/** Returns the domain, undefined if it must exist and does not, and its changes. Throws `not_found` and `conflict`. */
export async function saveDomain(
  operation: Operation,
  domain: WantedDomain,
  options: Omit<SaveOptions, 'isAllOrNone'> = {},
) {
  const all = { ...options, isAllOrNone: true };
  const saved = await saveDomains(operation, new Map([[domain.name, domain]]), all);
  const [record] = saved.records;
  const [row] = [...saved.created, ...saved.updated];
  const isNew = saved.created.length > 0;
  return { record, isNew, changes: row?.changes ?? {}, isDisputeClosed: saved.closed > 0 };
}

export function domainRemoval(
  operation: Operation,
  name: string,
  present: StoredDomain | undefined,
): Omit<Change<never>, 'outcome'> {
  const { registrar, changes } = present
    ? removalRow(name, present)
    : { registrar: null, changes: {} };
  const change = changeOf(operation, { type: 'domain', key: name, registrar });
  const row = sql`select json_object('name', ${name}) as row where ${change.isWritten}`;
  return {
    ...change,
    action: 'delete',
    changes,
    statements: present && deleteDomains(operation.db, row),
  };
}

/** Removes existing domains, all or none, as `saveDomains` writes others. */
export async function removeDomains(
  operation: SeenOperation,
  names: readonly string[],
): Promise<{ removed: number }> {
  const wanted = new Map(names.map((name) => [name, undefined]));
  return saveDomains(operation, wanted);
}
