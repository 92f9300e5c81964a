import { type SQL, sql } from 'drizzle-orm';
import { contacts, history, historyPermits } from '../../drizzle/schema.ts';
import { insertRows } from '../base/database/insert-rows.ts';
import { isIn } from '../base/database/json-rows.ts';
import type { Database } from '../base/database/open.ts';
import { type SweepLimits, sweep } from '../base/database/sweep.ts';
import { personalFields } from './fields.ts';

/** D1 allows 1,000 queries in a scheduled run. A window takes one, or four to remove values. */
const limits: SweepLimits = { window: 1_000, windows: 20 };

/**
 * Removes personal values from contact history older than an instant, except each contact's newest entry. Continues
 * after the last run. Returns the number of changed entries.
 */
export async function removeOldValues(
  db: Database,
  before: string,
  { window, windows }: SweepLimits = limits,
): Promise<number> {
  let removed = 0;
  await sweep(db, 'history_values', windows, async (after) => {
    const { last, oldest, ids } = await findOldValues(db, { before, after, limit: window });
    // Ids grow with time, so the following windows have no old entries either.
    if (last === null || oldest === null || oldest >= before) return null;
    if (ids.length > 0) {
      const isOld = isIn(history.id, JSON.stringify(ids));
      await db.batch(removeValues(db, { isTarget: isOld }, [after + 1, last], sql`where true`));
    }
    removed += ids.length;
    return last;
  });
  return removed;
}

async function findOldValues(
  db: Database,
  { before, after, limit }: { before: string; after: number; limit: number },
) {
  const row = await db.get<{ last: number | null; oldest: string | null; ids: string }>(sql`
    with entries as materialized (
      select * from ${history} where ${history.id} > ${after} order by ${history.id} limit ${limit}
    )
    select max(id) as last, min(occurred_at) as oldest, json_group_array(id) filter (
      where subject = 'contact' and occurred_at < ${before} and ${hasValues(sql`entries.changes`)}
        and ${isPast}
    ) as ids
    from entries`);
  return { ...row, ids: JSON.parse(row.ids) as number[] };
}

/** Excludes the newest entry of an existing contact, even one restored under another code. */
const isPast = sql`(
  exists (
    select 1 from ${history} as later
    where later.subject = 'contact' and later.subject_key = entries.subject_key
      and later.id > entries.id and later.subject_uuid is entries.subject_uuid
  )
  or exists (
    select 1 from ${history} as later
    where later.subject = 'contact' and later.action <> 'update'
      and later.id > entries.id and later.subject_uuid = entries.subject_uuid
  )
  or not exists (select 1 from ${contacts} where ${contacts.uuid} = entries.subject_uuid)
)`;

const personal = sql.raw(personalFields.map((field) => `'${field}'`).join(', '));

/** Judges a row of `json_each` on `changes`. */
export const isPersonalValue = sql`key in (${personal}) and json_type(value, '$.from') is not null`;

export function hasValues(changes: SQL, isTargetValue: SQL = sql`true`): SQL {
  return sql`exists (select 1 from json_each(${changes})
    where ${isPersonalValue} and ${isTargetValue})`;
}

/**
 * Returns statements that replace personal values by a note of the removal. Their permit covers the entries from the
 * first to the last id, if `source`, the rest of its query, has a row. `isTargetValue` judges a row of `json_each` on
 * `changes`.
 */
export function removeValues(
  db: Database,
  { isTarget, isTargetValue = sql`true` }: { isTarget: SQL; isTargetValue?: SQL | undefined },
  [firstId, lastId]: readonly [SQL | number, SQL | number],
  source: SQL,
) {
  const changes = sql`(
    select json_group_object(
      key, json(iif(${isPersonalValue} and ${isTargetValue}, '{"removed":true}', value)))
    from json_each(${history.changes})
  )`;
  return [
    insertRows(db, historyPermits, { id: 1, permission: 'remove_values', firstId, lastId }, source),
    db.update(history).set({ changes }).where(isTarget),
    db.delete(historyPermits),
  ] as const;
}
