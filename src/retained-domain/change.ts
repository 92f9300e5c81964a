import { inArray, type SQL, sql } from 'drizzle-orm';
import { retainedDomains } from '../../drizzle/schema.ts';
import { insertRows } from '../database/insert-rows.ts';
import { jsonArrays } from '../database/json-rows.ts';
import type { Database } from '../database/open.ts';
import { nothingSince } from '../history/search.ts';
import {
  type ChangeOfSeenOptions,
  type ChangeOptions,
  type ChangesOfMany,
  changeEach,
  type Origin,
} from '../write.ts';
import { findRetainedDomains, isAmong, type RetainedDomain, type RetainedStatus } from './list.ts';

/**
 * Adds the names, all or none, and returns how many are new. It is one batch, and D1 stops a batch after 30 seconds;
 * 100,000 names take a few seconds.
 */
export async function addRetainedDomains(
  db: Database,
  origin: Origin,
  names: readonly RetainedDomain[],
  { isDryRun = false }: ChangeOptions = {},
): Promise<number> {
  if (isDryRun) {
    const asked = distinct(names);
    return asked.length - (await findRetainedDomains(db, asked)).length;
  }
  const { at } = origin.request;
  const changes = jsonArrays(names).map((rows) => additions(db, rowsOf(rows), at));
  return (await changeEach(db, origin, { added: changes })).added;
}

export async function countRetainedDomains(
  db: Database,
  statuses: readonly RetainedStatus[],
): Promise<number> {
  return db.$count(retainedDomains, inArray(retainedDomains.status, statuses));
}

/**
 * Removes the names, all or none, and returns how many existed; one batch, as in `addRetainedDomains`. Throws
 * `changed_meanwhile`.
 */
export async function removeRetainedDomains(
  db: Database,
  origin: Origin,
  names: readonly RetainedDomain[],
  { isDryRun = false, seen }: ChangeOfSeenOptions = {},
): Promise<number> {
  const asked = distinct(names);
  if (isDryRun) return (await findRetainedDomains(db, asked)).length;
  const changes = jsonArrays(asked).map((rows) => removals(db, isAmong(rows)));
  const isAsSeen =
    seen === undefined
      ? undefined
      : nothingSince(
          seen,
          'retained_domain',
          asked.map(({ name }) => name),
        );
  return (await changeEach(db, origin, { removed: changes }, isAsSeen)).removed;
}

export function distinct(names: readonly RetainedDomain[]): RetainedDomain[] {
  return [...new Map(names.map((each) => [`${each.status} ${each.name}`, each])).values()];
}

/** The rows of a JSON array as a query of name, punycode and status. */
export function rowsOf(rows: string): SQL {
  return sql`select value ->> 'name' as name, value ->> 'punycode' as punycode, value ->> 'status' as status
    from json_each(${rows})`;
}

/** The columns of such a query. */
export const namedColumns = { name: sql`name`, punycode: sql`punycode`, status: sql`status` };

/** Adds the rows of a query of name, punycode and status that don't exist yet. */
export function additions(db: Database, names: SQL, createdAt: Date): ChangesOfMany {
  const missing = sql`select distinct name, punycode, status from (${names}) as given
    where not exists (select 1 from retained_domains as kept
      where kept.name = given.name and kept.status = given.status)`;
  const changes = sql`json_object('status', json_object('from', null, 'to', status))`;
  const values = { ...namedColumns, createdAt: createdAt.toISOString() };
  return {
    subject: 'retained_domain',
    action: 'create',
    rows: sql`select name as key, null as uuid, ${changes} as changes from (${missing})`,
    statements: [insertRows(db, retainedDomains, values, sql`from (${missing})`)],
  };
}

export function removals(db: Database, condition: SQL): ChangesOfMany {
  const changes = sql`json_object('status', json_object('from', status, 'to', null))`;
  return {
    subject: 'retained_domain',
    action: 'delete',
    rows: sql`select name as key, null as uuid, ${changes} as changes from ${retainedDomains} where ${condition}`,
    statements: [db.delete(retainedDomains).where(condition)],
  };
}
