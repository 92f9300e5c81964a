import { inArray, type SQL, sql } from 'drizzle-orm';
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
  };
  return {
    ...recordedNames('create', sql`name`, changes),
    source: sql`from (${missing})`,
    statements: [insertRetainedDomains(db, missing, createdAt.toISOString())],
  };
}

/** A last day may be null. */
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

/** Gives existing names the passwords and last days of a query like `namesIn`. Clears a last day that is over. */
export function updates(db: Database, names: SQL, now: Date): ChangesOfMany {
  const { name, status, password, lastDay } = retainedDomains;
  const isNewPassword = sql`ifnull(given.password, ${password}) is not ${password}`;
  const newDay = sql`ifnull(given.last_day, iif(${lastDay} < ${dayOf(now)}, null, ${lastDay}))`;
  const isNewDay = sql`${newDay} is not ${lastDay}`;
  const newNames = sql`(${names}) as given`;
  const differs = sql`${name} = given.name and ${status} = given.status
    and (${isNewPassword} or ${isNewDay})`;
  const changes = {
    password: sql`iif(${isNewPassword}, ${redacted}, null)`,
    lastDay: sql`iif(${isNewDay}, ${fromTo(lastDay, newDay)}, null)`,
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
        })
        .from(newNames)
        .where(differs),
    ],
  };
}
