import { and, asc, count, eq, inArray, lt, type SQL, sql } from 'drizzle-orm';
import { retainedDomains, retainedReplacements, type retainedStatuses } from '../drizzle/schema.ts';
import { type Database, jsonArrays } from './database.ts';
import type { DomainName } from './domain-name.ts';
import { type Origin, recordEach } from './history.ts';

export type RetainedStatus = (typeof retainedStatuses)[number];

/** A name that the registry keeps back; one that is both reserved and blocked is there twice. */
export interface RetainedDomain extends DomainName {
  status: RetainedStatus;
}

/** The reserved and blocked names, or those of one status, by name and status, from the one behind `after`. */
export async function listRetainedDomains(
  db: Database,
  filter: {
    status?: RetainedStatus | undefined;
    page: { after?: Pick<RetainedDomain, 'name' | 'status'> | undefined; limit: number };
  },
): Promise<RetainedDomain[]> {
  const { name, status } = retainedDomains;
  const { after, limit } = filter.page;
  return db
    .select(shown)
    .from(retainedDomains)
    .where(
      and(
        filter.status && eq(status, filter.status),
        after && sql`(${name}, ${status}) > (${after.name}, ${after.status})`,
      ),
    )
    .orderBy(asc(name), asc(status))
    .limit(limit);
}

/** Those of the names that are there already, each with the status that it is asked for. */
export async function findRetainedDomains(
  db: Database,
  names: Iterable<RetainedDomain>,
): Promise<RetainedDomain[]> {
  const found: RetainedDomain[] = [];
  for (const rows of jsonArrays(names)) {
    found.push(...(await db.select(shown).from(retainedDomains).where(isAmong(rows))));
  }
  return found;
}

const shown = {
  name: retainedDomains.name,
  punycode: retainedDomains.punycode,
  status: retainedDomains.status,
};

/**
 * Adds the names, all of them or none, and returns how many were not there before. It is one batch, and D1 ends
 * a batch after 30 seconds: enough for 100,000 names many times over.
 */
export async function addRetainedDomains(
  db: Database,
  origin: Origin,
  names: Iterable<RetainedDomain>,
): Promise<number> {
  const statements = jsonArrays(names).map((rows) => insertMissing(db, origin, given(rows)));
  return writeAll(db, statements);
}

/** Removes the names, all of them or none, and returns how many were there. One batch, as in `addRetainedDomains`. */
export async function removeRetainedDomains(
  db: Database,
  origin: Origin,
  names: Iterable<RetainedDomain>,
): Promise<number> {
  const statements = jsonArrays(names).map((rows) => deleteWhere(db, origin, isAmong(rows)));
  return writeAll(db, statements);
}

/**
 * Makes the names of these statuses equal to the ones given, and returns how many that added and removed.
 *
 * A list can be too large for one batch to carry, but it has to change in one step. So the names gather in a table that
 * nobody reads, chunk by chunk, and the last batch, one transaction, changes what differs by statements over the
 * two tables. Whoever is killed on the way leaves the lists as they were, and names behind that the
 * replacements of the next days clear away; to run again is to begin anew.
 */
export async function replaceRetainedDomains(
  db: Database,
  origin: Origin,
  statuses: readonly [RetainedStatus, ...RetainedStatus[]],
  chunks: Iterable<readonly RetainedDomain[]> | AsyncIterable<readonly RetainedDomain[]>,
): Promise<{ added: number; removed: number }> {
  const replacement = `${origin.at.toISOString()} ${crypto.randomUUID()}`;
  await clearAbandoned(db, origin.at);
  for await (const chunk of chunks) {
    const stray = chunk.find(({ status }) => !statuses.includes(status));
    if (stray) throw new TypeError(`${stray.name} is ${stray.status}, which is not replaced`);
    for (const rows of jsonArrays(chunk)) await gather(db, replacement, rows);
  }
  return takeOver(db, origin, statuses, replacement);
}

const abandonedAfterMilliseconds = 24 * 60 * 60 * 1000;

async function clearAbandoned(db: Database, now: Date): Promise<void> {
  const oldest = new Date(now.getTime() - abandonedAfterMilliseconds).toISOString();
  await db.delete(retainedReplacements).where(lt(retainedReplacements.replacement, oldest));
}

async function gather(db: Database, replacement: string, rows: string): Promise<void> {
  await db
    .insert(retainedReplacements)
    .select(sql`select ${replacement}, name, punycode, status from (${given(rows)}) where true`)
    .onConflictDoNothing();
}

async function takeOver(
  db: Database,
  origin: Origin,
  statuses: readonly RetainedStatus[],
  replacement: string,
): Promise<{ added: number; removed: number }> {
  const isGathered = eq(retainedReplacements.replacement, replacement);
  const [gathered] = await db
    .select({ count: count() })
    .from(retainedReplacements)
    .where(isGathered);
  const names = sql`select * from retained_replacements where replacement = ${replacement}`;
  // A batch that was done but reported as failed, and is sent again, finds nothing gathered: it must not take that for
  // an empty list.
  const isComplete = sql`(select count(*) from (${names})) = ${gathered!.count}`;
  const isSuperfluous = and(
    inArray(retainedDomains.status, statuses),
    sql`not exists (select 1 from (${names}) as wanted
      where wanted.name = ${retainedDomains.name} and wanted.status = ${retainedDomains.status})`,
    isComplete,
  );
  const [complete, removed, , added] = await db.batch([
    db.select({ isComplete: sql<number>`${isComplete}` }).from(sql`(select 1)`),
    ...deleteWhere(db, origin, isSuperfluous!),
    ...insertMissing(db, origin, sql`${names} and ${isComplete}`),
    db.delete(retainedReplacements).where(isGathered),
  ]);
  if (!complete[0]?.isComplete) throw new Error('the gathered names are gone: replace them again');
  return { added: added.meta.changes, removed: removed.meta.changes };
}

/** The rows of a JSON array as a query of name, punycode and status. */
function given(rows: string): SQL {
  return sql`select value ->> 'name' as name, value ->> 'punycode' as punycode, value ->> 'status' as status
    from json_each(${rows})`;
}

function isAmong(rows: string): SQL {
  const { name, status } = retainedDomains;
  return sql`(${name}, ${status}) in (select value ->> 'name', value ->> 'status' from json_each(${rows}))`;
}

/** Inserts what a query of name, punycode and status gives and is not there; the history first, while it can tell. */
function insertMissing(db: Database, origin: Origin, names: SQL) {
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

function deleteWhere(db: Database, origin: Origin, condition: SQL) {
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
