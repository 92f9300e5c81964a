import { inArray, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { retainedDomains } from '../../../drizzle/schema.ts';
import { insertRows } from '../../base/database/insert-rows.ts';
import { jsonArrays, rowsIn } from '../../base/database/json-rows.ts';
import type { Database } from '../../base/database/open.ts';
import { dayOf } from '../../base/time/day.ts';
import { nothingSince } from '../../change/history/search.ts';
import type { Operation } from '../../change/origin.ts';
import { type ChangesOfMany, changeEach, type SeenOperation } from '../../change/write-many.ts';
import { isAmong, type RetainedDomain, type RetainedStatus } from './list.ts';

/**
 * Adds the names, or gives existing ones the password and last day that are given, all or none. Returns how many are
 * new and how many existed and differed. One batch, which D1 stops after 30 seconds; 100,000 names take a few.
 */
export async function addRetainedDomains(
  operation: Operation,
  names: readonly RetainedDomain[],
): Promise<Record<'added' | 'updated', number>> {
  const { db, origin } = operation;
  const rows = jsonArrays(distinct(names)).map((some) => namesIn(rowsIn(some)));
  const changes = {
    updated: rows.map((some) => updates(db, some, origin.request.at)),
    added: rows.map((some) => additions(db, some, origin.request.at)),
  };
  return changeEach(operation, changes, undefined);
}

export async function countRetainedDomains(
  db: Database,
  statuses: readonly RetainedStatus[],
): Promise<number> {
  return db.$count(retainedDomains, inArray(retainedDomains.status, statuses));
}

/** All or none; counts those that existed. One batch, as in `addRetainedDomains`. Throws `changed_meanwhile`. */
export async function removeRetainedDomains(
  { db, origin, seen, ...options }: SeenOperation,
  names: readonly RetainedDomain[],
): Promise<{ removed: number }> {
  const asked = distinct(names);
  const changes = jsonArrays(asked).map((rows) => removals(db, isAmong(rowsIn(rows))));
  const keys = asked.map(({ name }) => name);
  const isAsSeen = seen === undefined ? undefined : nothingSince(seen, 'retained_domain', keys);
  return changeEach({ db, origin, ...options }, { removed: changes }, isAsSeen);
}

export function distinct(names: readonly RetainedDomain[]): RetainedDomain[] {
  return [...new Map(names.map((each) => [`${each.status} ${each.name}`, each])).values()];
}

/** Takes a query that has each name as JSON in its column `row`. */
export function namesIn(rows: SQL): SQL {
  return sql`select row ->> 'name' as name, row ->> 'punycode' as punycode, row ->> 'status' as status,
    row ->> 'password' as password, row ->> 'lastDay' as last_day, row ->> 'createdAt' as created_at
    from (${rows})`;
}

/** Such a query may lack the time of creation. */
export const namedColumns = {
  name: sql`name`,
  punycode: sql`punycode`,
  status: sql`status`,
  password: sql`password`,
  lastDay: sql`last_day`,
};

/** Takes what `namesIn` returns. Leaves existing names as they are. */
export function additions(db: Database, names: SQL, createdAt: Date): ChangesOfMany {
  const missing = sql`select * from (${names}) as given
    where not exists (select 1 from retained_domains as kept
      where kept.name = given.name and kept.status = given.status)`;
  const changes = changesOf({
    status: fromTo(sql`null`, sql`status`),
    password: sql`iif(password is not null, ${redacted}, null)`,
    lastDay: sql`iif(last_day is not null, ${fromTo(sql`null`, sql`last_day`)}, null)`,
  });
  return {
    subject: 'retained_domain',
    action: 'create',
    ...named(sql`name`, changes),
    source: sql`from (${missing})`,
    statements: [insertRetainedDomains(db, missing, createdAt.toISOString())],
  };
}

/** Takes a query with the columns of `namesIn`. No password of a new row has been used up. */
export function insertRetainedDomains(
  db: Database,
  names: SQL,
  createdAt: SQL | string = sql`created_at`,
) {
  return insertRows(
    db,
    retainedDomains,
    { ...namedColumns, createdAt, usedPasswords: null },
    sql`from (${names})`,
  );
}

/** Takes a query that has each name as JSON in its column `row`; a last day may be null. */
export function updateLastDays(db: Database, rows: SQL) {
  const { name, status } = retainedDomains;
  return db
    .update(retainedDomains)
    .set({ lastDay: sql`given.last_day` })
    .from(sql`(${namesIn(rows)}) as given`)
    .where(sql`${name} = given.name and ${status} = 'reserved'`);
}

export function deleteRetainedDomains(db: Database, rows: SQL) {
  return db.delete(retainedDomains).where(isAmong(rows));
}

/** Gives existing names the password and the last day that a query by `namesIn` has for them. A last day that is over goes. */
export function updates(db: Database, names: SQL, now: Date): ChangesOfMany {
  const { name, status, password, lastDay } = retainedDomains;
  const isNewPassword = sql`ifnull(given.password, ${password}) is not ${password}`;
  const newDay = sql`ifnull(given.last_day, iif(${lastDay} < ${dayOf(now)}, null, ${lastDay}))`;
  const isNewDay = sql`${newDay} is not ${lastDay}`;
  const given = sql`(${names}) as given`;
  const differs = sql`${name} = given.name and ${status} = given.status and (${isNewPassword} or ${isNewDay})`;
  const changes = changesOf({
    password: sql`iif(${isNewPassword}, ${redacted}, null)`,
    lastDay: sql`iif(${isNewDay}, ${fromTo(lastDay, newDay)}, null)`,
  });
  return {
    subject: 'retained_domain',
    action: 'update',
    ...named(sql`${name}`, changes),
    source: sql`from ${given} cross join ${retainedDomains} where ${differs}`,
    statements: [
      db
        .update(retainedDomains)
        .set({
          password: sql`ifnull(given.password, ${password})`,
          lastDay: newDay,
        })
        .from(given)
        .where(differs),
    ],
  };
}

export function removals(db: Database, condition: SQL): ChangesOfMany {
  const changes = changesOf({
    status: fromTo(sql`status`, sql`null`),
    password: sql`iif(password is not null, ${redacted}, null)`,
    lastDay: sql`iif(last_day is not null, ${fromTo(sql`last_day`, sql`null`)}, null)`,
  });
  return {
    subject: 'retained_domain',
    action: 'delete',
    ...named(sql`name`, changes),
    source: sql`from ${retainedDomains} where ${condition}`,
    statements: [db.delete(retainedDomains).where(condition)],
  };
}

const named = (key: SQL, changes: SQL) => ({ key, uuid: null, registrar: null, changes });

/** The changes of fields as the history has them, in SQL; a field whose change is null does not differ. */
function changesOf(fields: Record<string, SQL>): SQL {
  const named = Object.entries(fields).map(
    ([field, change]) => sql`${sql.raw(`'"${field}":'`)} || ${change}`,
  );
  return sql`'{' || concat_ws(',', ${sql.join(named, sql`, `)}) || '}'`;
}

const fromTo = (from: SQLWrapper, to: SQLWrapper) => sql`json_object('from', ${from}, 'to', ${to})`;
const redacted = sql.raw(`'{"redacted":true}'`);
