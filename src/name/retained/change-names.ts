import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { retainedDomains } from '../../../drizzle/schema.ts';
import { insertRows } from '../../base/database/insert-rows.ts';
import { jsonArrays, rowsIn } from '../../base/database/json-rows.ts';
import type { Database } from '../../base/database/open.ts';
import type { Action } from '../../change/history/changes.ts';
import { nothingSince } from '../../change/history/search.ts';
import { type ChangesOfMany, changeEach, type SeenOperation } from '../../change/write-many.ts';
import { isAmong, type RetainedDomain } from './list.ts';

/**
 * Removes and counts existing names, all or none, in one batch as in `addRetainedDomains`. Throws `changed_meanwhile`.
 */
export async function removeRetainedDomains(
  { db, origin, seen, ...options }: SeenOperation,
  names: readonly RetainedDomain[],
): Promise<{ removed: number }> {
  const records = distinct(names);
  const changes = jsonArrays(records).map((rows) => removals(db, isAmong(rowsIn(rows))));
  const keys = records.map(({ name }) => name);
  const isAsSeen = seen === undefined ? undefined : nothingSince(seen, 'retained_domain', keys);
  return changeEach({ db, origin, ...options }, { removed: changes }, isAsSeen);
}

export function distinct(names: readonly RetainedDomain[]): RetainedDomain[] {
  return [...mapByKey(names).values()];
}

/** A name may have both statuses. */
export const retainedKey = ({ name, status }: RetainedDomain) => `${status} ${name}`;

export function mapByKey(names: readonly RetainedDomain[]): Map<string, RetainedDomain> {
  return new Map(names.map((row) => [retainedKey(row), row]));
}

export function namesIn(rows: SQL): SQL {
  return sql`select row ->> 'name' as name, row ->> 'punycode' as punycode, row ->> 'status' as status,
    row ->> 'password' as password, row ->> 'lastDay' as last_day, row ->> 'comment' as comment,
    row ->> 'createdAt' as created_at
    from (${rows})`;
}

/** Takes a query like `namesIn`. A new row has no used passwords. */
export function insertRetainedDomains(
  db: Database,
  names: SQL,
  createdAt: SQL | string = sql`created_at`,
) {
  return insertRows(
    db,
    retainedDomains,
    {
      name: sql`name`,
      punycode: sql`punycode`,
      status: sql`status`,
      password: sql`password`,
      lastDay: sql`last_day`,
      comment: sql`comment`,
      createdAt,
      usedPasswords: null,
    },
    sql`from (${names})`,
  );
}

export function removals(db: Database, condition: SQL): ChangesOfMany {
  const changes = {
    status: fromTo(sql`status`, sql`null`),
    password: sql`iif(password is not null, ${redacted}, null)`,
    lastDay: sql`iif(last_day is not null, ${fromTo(sql`last_day`, sql`null`)}, null)`,
    comment: sql`iif(comment is not null, ${fromTo(sql`comment`, sql`null`)}, null)`,
    createdAt: fromTo(sql`created_at`, sql`null`),
  };
  return {
    ...recordedNames('delete', sql`name`, changes),
    source: sql`from ${retainedDomains} where ${condition}`,
    statements: [db.delete(retainedDomains).where(condition)],
  };
}

/** Returns the history of each name: its changes by field, in SQL. A change that is null is left out. */
export function recordedNames(action: Action, key: SQL, fields: Record<string, SQL>) {
  const named = Object.entries(fields).map(
    ([field, change]) => sql`${sql.raw(`'"${field}":'`)} || ${change}`,
  );
  const changes = sql`'{' || concat_ws(',', ${sql.join(named, sql`, `)}) || '}'`;
  return { subject: 'retained_domain' as const, action, key, uuid: null, registrar: null, changes };
}

export const fromTo = (from: SQLWrapper, to: SQLWrapper) =>
  sql`json_object('from', ${from}, 'to', ${to})`;
export const redacted = sql.raw(`'{"redacted":true}'`);
