import { sql } from 'drizzle-orm';
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
import { deleteDomains, domainChanges, domainRow, removalRow } from './change.ts';
import type { DomainName } from './name.ts';
import { loadDomains, type Recorded } from './read.ts';
import { type DomainRecord, loadParties, problemsOf } from './record.ts';

/** Undefined for a domain that is to be gone. */
export type WantedDomain = (present: Recorded | undefined) => DomainRecord | undefined;

/**
 * In one batch, for some ten thousand domains at most. One that names an unknown registrar or contact stays as it is,
 * and its problems are returned under its name; with `isAllOrNone`, they are thrown as `not_found`. Five round trips,
 * unless somebody else is faster. Throws `changed_meanwhile` if one has changed since it was `seen`.
 */
export function saveDomains(
  operation: SeenOperation,
  wanted: ReadonlyMap<string, WantedDomain>,
  { isAllOrNone = false } = {},
) {
  const { db } = operation;
  const names = [...wanted.keys()];
  const plan = async (lastEntryId: number) => {
    const present = await loadDomains(db, names);
    const records = names.flatMap((name) => wanted.get(name)!(present.get(name)) ?? []);
    const parties = await loadParties(db, records);
    const problems = Map.groupBy(problemsOf(records, parties), ({ record }) => record.name);
    if (isAllOrNone) throwProblems([...problems.values()].flat());
    const rowsOf = (isPresent: boolean) =>
      records
        .filter(({ name }) => !problems.has(name) && present.has(name) === isPresent)
        .map((record) => domainRow(record, present.get(record.name), parties))
        .filter(({ changes }) => Object.keys(changes).length > 0);
    const [created, updated] = [rowsOf(false), rowsOf(true)];
    const kept = new Set(records.map(({ name }) => name));
    const removed = [...present]
      .filter(([name]) => !kept.has(name))
      .map(([name, domain]) => removalRow(name, domain));
    const changes = {
      created: jsonArrays(created).map((some) => domainChanges(operation, 'create', some)),
      updated: jsonArrays(updated).map((some) => domainChanges(operation, 'update', some)),
      removed: jsonArrays(removed)
        .map(rowsIn)
        .map((some) => changesOfRows('domain', 'delete', some, deleteDomains(db, some))),
    };
    const write = () => changeEach(operation, changes, nothingSince(lastEntryId, 'domain', names));
    return { outcome: { records, created, updated, removed: removed.length, problems }, write };
  };
  return writeMany(operation, `domain ${names[0]}`, plan);
}

/** Returns the domain, and what differs. Throws `not_found`. */
export async function saveDomain(
  operation: Operation,
  { name }: DomainName,
  wanted: (present: Recorded | undefined) => DomainRecord,
) {
  const saved = await saveDomains(operation, new Map([[name, wanted]]), { isAllOrNone: true });
  const [record] = saved.records;
  const [row] = [...saved.created, ...saved.updated];
  return { record: record!, isNew: saved.created.length > 0, changes: row?.changes ?? {} };
}

export function domainRemoval(
  operation: Operation,
  name: string,
  present: Recorded | undefined,
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

/**
 * Removes those that exist, with their links to contacts, all or none, and counts them. It is one batch, for about ten
 * thousand names at a time. Throws `changed_meanwhile` if one has changed since it was `seen`.
 */
export async function removeDomains(
  operation: SeenOperation,
  names: readonly string[],
): Promise<{ removed: number }> {
  const wanted = new Map(names.map((name) => [name, () => undefined]));
  return saveDomains(operation, wanted);
}
