import { type SQL, sql } from 'drizzle-orm';
import { retainedDomains } from '../../drizzle/schema.ts';
import { jsonArrays } from '../database/json-rows.ts';
import type { Database } from '../database/open.ts';
import { type Origin, recordEach } from '../history.ts';
import { findRetainedDomains, isAmong, type RetainedDomain } from './list.ts';

/**
 * Adds the names, all of them or none, and returns how many are new; a dry run only counts them. It is one batch, and D1
 * ends a batch after 30 seconds: 100,000 names take a few of them.
 */
export async function addRetainedDomains(
  db: Database,
  origin: Origin,
  names: readonly RetainedDomain[],
  isDryRun = false,
): Promise<number> {
  if (isDryRun) {
    const asked = distinct(names);
    return asked.length - (await findRetainedDomains(db, asked)).length;
  }
  const statements = jsonArrays(names).map((rows) => insertMissing(db, origin, given(rows)));
  return writeAll(db, statements);
}

/** Removes the names, all of them or none, and returns how many were there, as `addRetainedDomains` adds them. */
export async function removeRetainedDomains(
  db: Database,
  origin: Origin,
  names: readonly RetainedDomain[],
  isDryRun = false,
): Promise<number> {
  if (isDryRun) return (await findRetainedDomains(db, distinct(names))).length;
  const statements = jsonArrays(names).map((rows) => deleteWhere(db, origin, isAmong(rows)));
  return writeAll(db, statements);
}

/** Without those that are given again. */
export function distinct(names: readonly RetainedDomain[]): RetainedDomain[] {
  return [...new Map(names.map((each) => [`${each.status} ${each.name}`, each])).values()];
}

/** One batch of pairs of a history insert and its change; returns how many changes the history tells. */
async function writeAll(
  db: Database,
  pairs: ReturnType<typeof insertMissing | typeof deleteWhere>[],
): Promise<number> {
  const [first, ...rest] = pairs.flat();
  if (!first) return 0;
  const results = await db.batch([first, ...rest]);
  return results
    .filter((_, index) => index % 2 === 0)
    .reduce((total, { meta }) => total + meta.changes, 0);
}

/** The rows of a JSON array as a query of name, punycode and status. */
export function given(rows: string): SQL {
  return sql`select value ->> 'name' as name, value ->> 'punycode' as punycode, value ->> 'status' as status
    from json_each(${rows})`;
}

/** Inserts what a query of name, punycode and status gives and is not there; the history first, while it can tell. */
export function insertMissing(db: Database, origin: Origin, names: SQL) {
  const missing = sql`select distinct name, punycode, status from (${names}) as given
    where not exists (select 1 from retained_domains as kept
      where kept.name = given.name and kept.status = given.status)`;
  const changes = sql`json_object('status', json_object('from', null, 'to', status))`;
  return [
    recordEach(
      db,
      origin,
      'retained_domain',
      'create',
      sql`select name as key, null as uuid, ${changes} as changes from (${missing})`,
    ),
    db
      .insert(retainedDomains)
      .select(sql`select name, punycode, status, ${origin.at.toISOString()} from (${missing})`),
  ] as const;
}

/** Deletes what meets the condition; the history first, while it can tell. */
export function deleteWhere(db: Database, origin: Origin, condition: SQL) {
  const changes = sql`json_object('status', json_object('from', status, 'to', null))`;
  return [
    recordEach(
      db,
      origin,
      'retained_domain',
      'delete',
      sql`select name as key, null as uuid, ${changes} as changes from ${retainedDomains} where ${condition}`,
    ),
    db.delete(retainedDomains).where(condition),
  ] as const;
}
