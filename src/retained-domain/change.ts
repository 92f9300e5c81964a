import { inArray, type SQL, sql } from 'drizzle-orm';
import { retainedDomains } from '../../drizzle/schema.ts';
import { jsonArrays } from '../database/json-rows.ts';
import type { Database } from '../database/open.ts';
import { recordEach } from '../history/changes.ts';
import type { ChangeOptions, Origin } from '../write.ts';
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
  const statements = jsonArrays(names).map((rows) => insertMissing(db, origin, rowsOf(rows)));
  return writeAll(db, statements);
}

/** How many names have one of these statuses. */
export async function countRetainedDomains(
  db: Database,
  statuses: readonly RetainedStatus[],
): Promise<number> {
  return db.$count(retainedDomains, inArray(retainedDomains.status, statuses));
}

/** Removes the names, all or none, and returns how many existed; one batch, as in `addRetainedDomains`. */
export async function removeRetainedDomains(
  db: Database,
  origin: Origin,
  names: readonly RetainedDomain[],
  { isDryRun = false }: ChangeOptions = {},
): Promise<number> {
  if (isDryRun) return (await findRetainedDomains(db, distinct(names))).length;
  const statements = jsonArrays(names).map((rows) => deleteWhere(db, origin, isAmong(rows)));
  return writeAll(db, statements);
}

/** The names without repetitions. */
export function distinct(names: readonly RetainedDomain[]): RetainedDomain[] {
  return [...new Map(names.map((each) => [`${each.status} ${each.name}`, each])).values()];
}

/** Runs pairs of a history insert and its change in one batch; returns how many changes the history recorded. */
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
export function rowsOf(rows: string): SQL {
  return sql`select value ->> 'name' as name, value ->> 'punycode' as punycode, value ->> 'status' as status
    from json_each(${rows})`;
}

/**
 * Inserts the rows of a query of name, punycode and status that don't exist yet. History goes first, while the query
 * can still see which are missing.
 */
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
      .select(
        sql`select name, punycode, status, ${origin.request.at.toISOString()} from (${missing})`,
      ),
  ] as const;
}

/** Deletes the rows that meet the condition. History goes first, while the rows are still there to be read. */
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
