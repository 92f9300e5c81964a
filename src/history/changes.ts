import { and, eq, type SQL, sql } from 'drizzle-orm';
import { type FieldChange, type HistorySubject, history } from '../../drizzle/schema.ts';
import type { Database } from '../database/open.ts';
import type { Origin } from '../write.ts';

export interface Subject {
  type: HistorySubject;
  key: string;
  uuid?: string | undefined;
}

export type Action = (typeof history.$inferInsert)['action'];

export type Changes = Record<string, FieldChange>;

/**
 * The insert that records a change. Put it right after the statement that makes the change, in the same batch: it
 * writes only if that statement changed a row, because `changes()` is SQLite's count for the previous statement.
 */
export function recordIfChanged(
  db: Database,
  { actor, request }: Origin,
  subject: Subject,
  action: Action,
  changes: Changes,
) {
  return db.insert(history).select(sql`
    select null, ${request.at.toISOString()}, ${subject.type}, ${subject.key}, ${subject.uuid ?? null},
      ${action}, ${actor.type}, ${actor.name}, ${request.requestId},
      ${request.clientReference ?? null}, ${JSON.stringify(changes)}
    where changes() > 0`);
}

/**
 * The insert that records one change for each row of `source`, a query that selects `key`, `uuid` and `changes` (JSON).
 * Put it in the batch of the changes, before or after them, where the query can still see what they change.
 */
export function recordEach(
  db: Database,
  { actor, request }: Origin,
  type: HistorySubject,
  action: Action,
  source: SQL,
) {
  return db.insert(history).select(sql`
    select null, ${request.at.toISOString()}, ${type}, key, uuid, ${action}, ${actor.type}, ${actor.name},
      ${request.requestId}, ${request.clientReference ?? null}, changes
    from (${source})`);
}

/** Whether the request has already changed the subject. */
export async function isRecorded(
  db: Database,
  { type, key, uuid }: Subject,
  requestId: string,
): Promise<boolean> {
  const ofRequest = and(
    eq(history.subject, type),
    eq(history.subjectKey, key),
    uuid === undefined ? undefined : eq(history.subjectUuid, uuid),
    eq(history.requestId, requestId),
  );
  const entries = await db.select({ id: history.id }).from(history).where(ofRequest);
  return entries.length > 0;
}

/** For these fields, history shows that they changed but not their values. */
const secretFields = new Set(['authInfo', 'registrationCode', 'secretDigest', 'webhookSecret']);

/** The fields in which the new values differ from the row; empty if none do. */
export function difference(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): Changes {
  const changes: Changes = {};
  for (const [field, to] of Object.entries(after)) {
    const from = before[field] ?? null;
    if (to === undefined || JSON.stringify(from) === JSON.stringify(to)) continue;
    changes[field] = secretFields.has(field) ? { redacted: true } : { from, to };
  }
  return changes;
}

/** Changes as every interface shows them: without keys, and with field names in snake case, as on the wire. */
export function shownChanges(changes: Changes): Changes {
  return Object.fromEntries(
    Object.entries(changes).map(([field, change]) => [
      field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      'key' in change ? { from: change.from, to: change.to } : change,
    ]),
  );
}
