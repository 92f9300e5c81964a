import { and, between, desc, eq, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { history } from '../../drizzle/schema.ts';
import type { Database } from '../base/database/open.ts';
import { retry } from '../base/database/retry.ts';
import { RegistryError } from '../base/error.ts';
import { findNewestId, type HistoryEntry } from '../change/history/search.ts';

/** The changes of one batch. D1 and the local runtime have no memory for all changes of a large import at once. */
const pageRows = 5_000;

/** The entries of a request in the history. */
export interface EntryRange {
  first: number;
  last: number;
  /** Whether domains went to another registrar. */
  isTransfer: boolean;
}

/**
 * The history has no index by request: `within` restricts the entries that are read. Throws `not_found` for a request that
 * the history does not have.
 */
export async function findEntryRange(
  db: Database,
  request: string,
  within?: SQL,
): Promise<EntryRange> {
  const isTransfer = sql`max(subject = 'domain' and action = 'update' and changes -> '$.registrar' is not null)`;
  const [found] = await retry(() =>
    db
      .select({
        first: sql<number | null>`min(${history.id})`,
        last: sql<number>`max(${history.id})`,
        isTransfer: isTransfer.mapWith(Boolean),
      })
      .from(history)
      .where(and(within, eq(history.requestId, request))),
  );
  const { first, ...rest } = found!;
  if (first !== null) return { first, ...rest };
  const message = `the history has no change of request ${JSON.stringify(request)}`;
  throw new RegistryError('not_found', message);
}

/** An entry, with the newest one about the same thing that others wrote since. */
export type RequestEntry = HistoryEntry & { newer: HistoryEntry | null };

/** Reads the newest entries of the request in the range, at most 5,000, in their order, and `seen`, the newest id of all before. */
export async function readEntriesOf(db: Database, request: string, { first, last }: EntryRange) {
  const newer = alias(history, 'newer');
  // Only a reserved name can change and stay.
  const statusIn = (entry: 'later' | 'history') =>
    sql.raw(
      `coalesce(${entry}.changes ->> '$.status.from', ${entry}.changes ->> '$.status.to', 'reserved')`,
    );
  const isNewer = sql`later.id > history.id and later.request_id is not ${request}`;
  const aboutKey = sql`select max(later.id) from ${history} as later
    where later.subject = history.subject and later.subject_key = history.subject_key and ${isNewer}
      and (later.subject <> 'retained_domain' or ${statusIn('later')} = ${statusIn('history')})`;
  // A contact may have come back with another code.
  const aboutContact = sql`select max(later.id) from ${history} as later
    where later.subject = 'contact' and later.action <> 'update'
      and later.subject_uuid = history.subject_uuid
      and history.subject = 'contact' and ${isNewer}`;
  const isNewest = sql`${newer.id} = max(ifnull((${aboutKey}), 0), ifnull((${aboutContact}), 0))`;
  // Read before the entries, so that a change in between makes the write fail.
  const seen = await findNewestId(db);
  const rows = await retry(() =>
    db
      .select({ entry: history, newer })
      .from(history)
      .leftJoin(newer, isNewest)
      .where(and(between(history.id, first, last), eq(history.requestId, request)))
      .orderBy(desc(history.id))
      .limit(pageRows),
  );
  const entries = rows.map(({ entry, newer }): RequestEntry => ({ ...entry, newer })).reverse();
  return { seen, entries };
}

/**
 * Whether the change is over: the cron has removed what was added, a reservation after its last day or an orphan; or an
 * interrupted revert has taken it back.
 */
export const isChangeOver = ({ action, newer }: RequestEntry, request: string) =>
  (action === 'create' && newer?.actorType === 'cron') ||
  (newer?.actorType === 'operator' && newer.clientReference === request);
