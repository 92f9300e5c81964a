import { max, or, type SQL, sql } from 'drizzle-orm';
import { type HistorySubject, history } from '../../../drizzle/schema.ts';
import { isIn, jsonArrays } from '../../base/database/json-rows.ts';
import type { Database } from '../../base/database/open.ts';
import { retry } from '../../base/database/retry.ts';

export type HistoryEntry = typeof history.$inferSelect;

export async function findNewestId(db: Database): Promise<number> {
  const [newest] = await retry(() => db.select({ id: max(history.id) }).from(history));
  return newest?.id ?? 0;
}

/** The id of the request that made the first change. Undefined before it, and where it has none. */
export async function findFirstRequestId(db: Database): Promise<string | undefined> {
  const { requestId } = history;
  const [first] = await retry(() =>
    db.select({ requestId }).from(history).orderBy(history.id).limit(1),
  );
  return first?.requestId ?? undefined;
}

/** True if nothing has been recorded about the subject, or these keys of it, since the entry. */
export function nothingSince(id: number, subject: HistorySubject, keys?: readonly string[]): SQL {
  const ofKeys =
    keys && or(sql`false`, ...jsonArrays(keys).map((array) => isIn(sql`subject_key`, array)));
  // The plus keeps SQLite from using the index by subject, which would read all entries.
  return sql`not exists (
    select 1 from ${history} where id > ${id} and +subject = ${subject} and ${ofKeys ?? sql`true`})`;
}
