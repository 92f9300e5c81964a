import { jsonArrays, rowsIn } from '../database/json-rows.ts';
import type { Database } from '../database/open.ts';
import { isForeignKeyViolation } from '../database/violations.ts';
import { type Problem, throwProblems } from '../error.ts';
import { findNewestId, nothingSince } from '../history/search.ts';
import {
  type ChangeOptions,
  changedMeanwhile,
  changeEach,
  changesOfRows,
  hasWritten,
  type Origin,
  untilWritten,
} from '../write.ts';
import { type DomainRow, deleteDomains, domainChanges, domainRow, removalRow } from './change.ts';
import type { DomainName } from './name.ts';
import { loadDomains, type Recorded } from './read.ts';
import { type DomainRecord, loadParties, problemsOf } from './record.ts';

/** What a domain is to be, given what it is, if it is there; undefined for one that is to be gone. */
export type WantedDomain = (present: Recorded | undefined) => DomainRecord | undefined;

export interface SavedDomains {
  /** What was wanted. */
  records: DomainRecord[];
  created: DomainRow[];
  updated: DomainRow[];
  /** Of the domains that stay as they are, by name. */
  problems: Map<string, Problem[]>;
}

/**
 * Makes the domains what they are wanted to be, by name, in one batch, for about ten thousand of them at a time. One that
 * names an unknown registrar or contact stays as it is; if it is all or none, its problems are thrown as `not_found`. Five
 * round trips, unless somebody else is faster.
 */
export function saveDomains(
  db: Database,
  origin: Origin,
  wanted: ReadonlyMap<string, WantedDomain>,
  { isDryRun = false, isAllOrNone = false }: ChangeOptions & { isAllOrNone?: boolean } = {},
): Promise<SavedDomains> {
  const names = [...wanted.keys()];
  const { at } = origin.request;
  let first: number | undefined;
  let attempted: SavedDomains | undefined;
  return untilWritten(async () => {
    // First the history: a change after this look makes the write fail.
    const since = await findNewestId(db);
    first ??= since;
    // An earlier attempt took effect: what others have done since stays.
    if (attempted && (await hasWritten(db, origin.request, first))) return attempted;
    const present = await loadDomains(db, names);
    const records = names.flatMap((name) => wanted.get(name)!(present.get(name)) ?? []);
    const parties = await loadParties(db, records);
    const problems = Map.groupBy(problemsOf(records, parties), ({ record }) => record.name);
    if (isAllOrNone) throwProblems([...problems.values()].flat());
    const rowsOf = (isPresent: boolean) =>
      records
        .filter(({ name }) => !problems.has(name) && present.has(name) === isPresent)
        .map((record) => domainRow(record, parties, present.get(record.name)))
        .filter(({ changes }) => Object.keys(changes).length > 0);
    const [created, updated] = [rowsOf(false), rowsOf(true)];
    const kept = new Set(records.map(({ name }) => name));
    const gone = [...present].filter(([name]) => !kept.has(name));
    attempted = { records, created, updated, problems };
    if (isDryRun) return attempted;
    const changes = {
      created: jsonArrays(created).map((some) => domainChanges(db, 'create', some, at)),
      updated: jsonArrays(updated).map((some) => domainChanges(db, 'update', some, at)),
      removed: jsonArrays(gone.map(([name, domain]) => removalRow(name, domain)))
        .map(rowsIn)
        .map((some) => changesOfRows('domain', 'delete', some, deleteDomains(db, some))),
    };
    try {
      await changeEach(db, origin, changes, nothingSince(since, 'domain', names));
    } catch (error) {
      // A contact has just been deleted.
      throw isForeignKeyViolation(error) ? changedMeanwhile() : error;
    }
    return attempted;
  });
}

/** Makes one domain what it is wanted to be; returns it, and what differs. Throws `not_found`. */
export async function saveDomain(
  db: Database,
  origin: Origin,
  { name }: DomainName,
  wanted: (present: Recorded | undefined) => DomainRecord,
  { isDryRun }: ChangeOptions = {},
) {
  const options = { isDryRun, isAllOrNone: true };
  const saved = await saveDomains(db, origin, new Map([[name, wanted]]), options);
  const [record] = saved.records;
  const [row] = [...saved.created, ...saved.updated];
  return { record: record!, isNew: saved.created.length > 0, changes: row?.changes ?? {} };
}
