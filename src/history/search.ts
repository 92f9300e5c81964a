import { and, asc, eq, gt, gte, lt, max, or, sql } from 'drizzle-orm';
import { type HistorySubject, history } from '../../drizzle/schema.ts';
import type { Database } from '../database/open.ts';

export type HistoryEntry = typeof history.$inferSelect;

/** Which entries to list. Without a criterion, all. */
export interface HistoryCriteria {
  subject?: HistorySubject | undefined;
  /** A code, name or username, or the UUID of a contact or auction. */
  key?: string | undefined;
  /** A part of the actor. */
  by?: string | undefined;
  /** A request id, or the client's reference. */
  request?: string | undefined;
  /** From this instant on. */
  since?: Date | undefined;
  /** Before this instant. */
  until?: Date | undefined;
}

/** The entries that meet all the criteria, the oldest first, starting after `after`. Entries of deleted things remain. */
export function listHistory(
  db: Database,
  { subject, key, by, request, since, until }: HistoryCriteria,
  page: { after?: number | undefined; limit: number },
): Promise<HistoryEntry[]> {
  return db
    .select()
    .from(history)
    .where(
      and(
        gt(history.id, page.after ?? 0),
        subject === undefined ? undefined : eq(history.subject, subject),
        key === undefined
          ? undefined
          : or(eq(history.subjectKey, key), eq(history.subjectUuid, key.toLowerCase())),
        by === undefined ? undefined : sql`instr(${history.actor}, ${by}) > 0`,
        request === undefined
          ? undefined
          : or(eq(history.requestId, request), eq(history.clientReference, request)),
        since === undefined ? undefined : gte(history.occurredAt, since.toISOString()),
        until === undefined ? undefined : lt(history.occurredAt, until.toISOString()),
      ),
    )
    .orderBy(asc(history.id))
    .limit(page.limit);
}

/** Entries of writers that overlap are out of order by less than this. */
const disorderMilliseconds = 60_000;

/**
 * The id before the first entry since an instant: entries are numbered as they are written, so that no index on their
 * time is needed. It takes a small query for each bit of the largest id.
 */
export async function findIdBefore(db: Database, instant: Date): Promise<number> {
  const bound = new Date(instant.getTime() - disorderMilliseconds).toISOString();
  let before = 0;
  const [newest] = await db.select({ id: max(history.id) }).from(history);
  let end = newest?.id ?? 0;
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
