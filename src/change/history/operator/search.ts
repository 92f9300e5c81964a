import { and, asc, desc, eq, gt, gte, lt, lte, or, type SQL, sql } from 'drizzle-orm';
import { type HistorySubject, history, isByRegistrar } from '../../../../drizzle/schema.ts';
import type { Database } from '../../../base/database/open.ts';
import type { RowsAfter } from '../../../base/database/paging.ts';
import { findNewestId, type HistoryEntry } from '../search.ts';

export interface HistoryCriteria {
  subject?: HistorySubject | undefined;
  /** A code, name or username, or the UUID of a contact or auction. */
  key?: string | undefined;
  /** A part of the actor, ignoring the case of a to z. */
  by?: string | undefined;
  request?: string | undefined;
  /** Inclusive. */
  since?: Date | undefined;
  /** Exclusive. */
  until?: Date | undefined;
}

/** The oldest first. Entries of deleted things remain. */
export function listHistory(
  db: Database,
  criteria: HistoryCriteria,
  page: RowsAfter<{ id: number }> & { upTo?: number },
): Promise<HistoryEntry[]> {
  return db
    .select()
    .from(history)
    .where(
      and(
        gt(history.id, page.after?.id ?? 0),
        page.upTo === undefined ? undefined : lte(history.id, page.upTo),
        meets(criteria),
      ),
    )
    .orderBy(asc(history.id))
    .limit(page.limit);
}

export function meets({ subject, key, by, request, since, until }: HistoryCriteria) {
  const isOfKey = key === undefined ? undefined : eq(history.subjectKey, key);
  const isUuid = key !== undefined && /^[0-9a-f-]{36}$/i.test(key);
  // With a key, the index by subject and key leads to few entries. Without one, SQLite would read and sort all entries
  // of the subject for each page. The plus prevents that.
  const isExact = isOfKey && !isUuid;
  const ofSubject = isExact ? sql`${history.subject}` : sql`+${history.subject}`;
  return and(
    subject === undefined ? undefined : eq(ofSubject, subject),
    isUuid ? or(isOfKey, eq(history.subjectUuid, key.toLowerCase())) : isOfKey,
    by === undefined ? undefined : sql`instr(lower(${history.actor}), lower(${by})) > 0`,
    request === undefined
      ? undefined
      : or(eq(history.requestId, request), eq(history.clientReference, request)),
    since === undefined ? undefined : gte(history.occurredAt, since.toISOString()),
    until === undefined ? undefined : lt(history.occurredAt, until.toISOString()),
  );
}

export function listNewestEntries(
  db: Database,
  condition: SQL | undefined,
  limit: number,
): Promise<HistoryEntry[]> {
  return db.select().from(history).where(condition).orderBy(desc(history.id)).limit(limit);
}

/** Changes of contacts and domains by the registrar's users, and by systems such as those that act for it. The newest first. */
export function listRegistrarsEntries(
  db: Database,
  code: string,
  limit: number,
): Promise<HistoryEntry[]> {
  return listNewestEntries(db, and(eq(history.registrar, code), isByRegistrar), limit);
}

/**
 * Entries are out of order by less than this: an entry has the time at which its command began, and the command may
 * have waited for an answer. An index on the time would cost every write a row.
 */
const disorderMilliseconds = 7 * 24 * 60 * 60 * 1000;

/**
 * Returns the id before the first entry since an instant. Costs a small query for each bit of the largest id. Ids are
 * in the order of writing.
 */
export async function findIdBefore(db: Database, instant: Date): Promise<number> {
  const bound = new Date(instant.getTime() - disorderMilliseconds).toISOString();
  let before = 0;
  let end = await findNewestId(db);
  while (before < end) {
    const middle = Math.floor((before + end) / 2);
    const [next] = await db
      .select({ id: history.id, occurredAt: history.occurredAt })
      .from(history)
      .where(gt(history.id, middle))
      .orderBy(asc(history.id))
      .limit(1);
    if (next && next.occurredAt < bound) before = next.id;
    else end = middle;
  }
  return before;
}
