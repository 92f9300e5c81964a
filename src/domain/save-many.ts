import { jsonArrays, rowsIn } from '../database/json-rows.ts';
import type { Database } from '../database/open.ts';
import { isForeignKeyViolation } from '../database/violations.ts';
import type { Problem } from '../error.ts';
import { findNewestId, nothingSince } from '../history/search.ts';
import {
  changedMeanwhile,
  changeEach,
  changesOfRows,
  hasWritten,
  type Origin,
  untilWritten,
} from '../write.ts';
import { deleteDomains, domainChanges, domainRow } from './change.ts';
import type { DomainName } from './name.ts';
import { loadDomains } from './read.ts';
import { type ImportedDomain, loadParties, problemsOf, withKept } from './record.ts';
import { removalRow } from './remove.ts';

/** What is reported of a domain: what it is, or that it is gone. */
export type ReportedDomain = ImportedDomain | (DomainName & { isDeleted: true });

/**
 * Saves and deletes the domains in one batch, the last of each name, and returns the problems of those that name an
 * unknown registrar or contact, which stay as they are. Five round trips, unless somebody else is faster.
 */
export function saveDomains(
  db: Database,
  origin: Origin,
  told: readonly ReportedDomain[],
): Promise<Map<string, Problem[]>> {
  const last = [...new Map(told.map((each) => [each.name, each])).values()];
  const names = last.map(({ name }) => name);
  const { at } = origin.request;
  let first: number | undefined;
  return untilWritten(async () => {
    const since = await findNewestId(db);
    const isWritten = first !== undefined && (await hasWritten(db, origin.request, first));
    first ??= since;
    const present = await loadDomains(db, names);
    const records = last.flatMap((each) =>
      'isDeleted' in each ? [] : [withKept(each, present.get(each.name))],
    );
    const parties = await loadParties(db, records);
    const problems = Map.groupBy(problemsOf(records, parties), ({ record }) => record.name);
    const rowsOf = (isPresent: boolean) =>
      records
        .filter(({ name }) => !problems.has(name) && present.has(name) === isPresent)
        .map((record) => domainRow(record, parties, present.get(record.name)))
        .filter(({ changes }) => Object.keys(changes).length > 0);
    const gone = last.flatMap((each) => {
      const domain = 'isDeleted' in each ? present.get(each.name) : undefined;
      return domain ? [removalRow(each.name, domain)] : [];
    });
    // An earlier attempt took effect: what others have done since stays.
    if (isWritten) return problems;
    const changes = {
      created: jsonArrays(rowsOf(false)).map((some) => domainChanges(db, 'create', some, at)),
      updated: jsonArrays(rowsOf(true)).map((some) => domainChanges(db, 'update', some, at)),
      removed: jsonArrays(gone)
        .map(rowsIn)
        .map((some) => changesOfRows('domain', 'delete', some, deleteDomains(db, some))),
    };
    try {
      await changeEach(db, origin, changes, nothingSince(since, 'domain', names));
    } catch (error) {
      // A contact has just been deleted.
      throw isForeignKeyViolation(error) ? changedMeanwhile() : error;
    }
    return problems;
  });
}
