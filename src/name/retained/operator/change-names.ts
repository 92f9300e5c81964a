import { inArray, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { retainedDomains } from '../../../../drizzle/schema.ts';
import { jsonArrays, rowsIn } from '../../../base/database/json-rows.ts';
import type { Database } from '../../../base/database/open.ts';
import { dayOf } from '../../../base/time/day.ts';
import type { Operation } from '../../../change/origin.ts';
import { type ChangesOfMany, changeEach } from '../../../change/write-many.ts';
import {
  distinct,
  fromTo,
  insertRetainedDomains,
  namesIn,
  recordedNames,
  redacted,
} from '../change-names.ts';
import { isAmong, type RetainedDomain, type RetainedStatus } from '../list.ts';

/**
 * Adds names, or gives existing ones their new password and last day, all or none. Returns how many are new and how
 * many have changed. One batch, which D1 stops after 30 seconds; 100,000 names take a few.
 */
export async function addRetainedDomains(
  operation: Operation,
  names: readonly RetainedDomain[],
): Promise<Record<'added' | 'updated', number>> {
  const { db, origin } = operation;
  const rows = jsonArrays(distinct(names)).map((array) => namesIn(rowsIn(array)));
  const changes = {
    updated: rows.map((query) => updates(db, query, origin.request.at)),
    added: rows.map((query) => additions(db, query, origin.request.at)),
  };
  return changeEach(operation, changes, undefined);
}

export async function countRetainedDomains(
  db: Database,
  statuses: readonly RetainedStatus[],
): Promise<number> {
  return db.$count(retainedDomains, inArray(retainedDomains.status, statuses));
}

/** Takes a query like `namesIn`. Existing names stay as they are. */
export function additions(db: Database, names: SQL, createdAt: Date): ChangesOfMany {
  const missing = sql`select * from (${names}) as given
    where not exists (select 1 from retained_domains as kept
      where kept.name = given.name and kept.status = given.status)`;
  const changes = {
    status: fromTo(sql`null`, sql`status`),
    password: sql`iif(password is not null, ${redacted}, null)`,
    lastDay: sql`iif(last_day is not null, ${fromTo(sql`null`, sql`last_day`)}, null)`,
    comment: sql`iif(comment is not null, ${fromTo(sql`null`, sql`comment`)}, null)`,
  };
  return {
    ...recordedNames('create', sql`name`, changes),
    source: sql`from (${missing})`,
    statements: [insertRetainedDomains(db, missing, createdAt.toISOString())],
  };
}

/** Sets the fields that a row has, which may be null. Only a reservation changes. */
export function updateReservations(db: Database, rows: SQL) {
  const { name, status, lastDay, comment } = retainedDomains;
  const newOr = (field: string, old: SQLWrapper) =>
    sql`iif(json_type(given.row, ${`$.${field}`}) is null, ${old}, given.row ->> ${field})`;
  return db
    .update(retainedDomains)
    .set({ lastDay: newOr('lastDay', lastDay), comment: newOr('comment', comment) })
    .from(sql`(${rows}) as given`)
    .where(sql`${name} = given.row ->> 'name' and ${status} = 'reserved'`);
}

export function deleteRetainedDomains(db: Database, rows: SQL) {
  return db.delete(retainedDomains).where(isAmong(rows));
}

/**
 * Gives existing names the passwords and last days of a query like `namesIn`. A reservation whose last day is over loses
 * it, and has the comment of the new one.
 */
export function updates(db: Database, names: SQL, now: Date): ChangesOfMany {
  const { name, status, password, lastDay, comment } = retainedDomains;
  const isNewPassword = sql`ifnull(given.password, ${password}) is not ${password}`;
  const isOver = sql`${lastDay} < ${dayOf(now)}`;
  const newDay = sql`ifnull(given.last_day, iif(${isOver}, null, ${lastDay}))`;
  const newComment = sql`iif(${isOver}, given.comment, ${comment})`;
  const isNewDay = sql`${newDay} is not ${lastDay}`;
  const newNames = sql`(${names}) as given`;
  const differs = sql`${name} = given.name and ${status} = given.status
    and (${isNewPassword} or ${isNewDay})`;
  const changes = {
    password: sql`iif(${isNewPassword}, ${redacted}, null)`,
    lastDay: sql`iif(${isNewDay}, ${fromTo(lastDay, newDay)}, null)`,
    comment: sql`iif(${newComment} is not ${comment}, ${fromTo(comment, newComment)}, null)`,
  };
  return {
    ...recordedNames('update', sql`${name}`, changes),
    source: sql`from ${newNames} cross join ${retainedDomains} where ${differs}`,
    statements: [
      db
        .update(retainedDomains)
        .set({
          password: sql`ifnull(given.password, ${password})`,
          lastDay: newDay,
          comment: newComment,
        })
        .from(newNames)
        .where(differs),
    ],
  };
}
