import { and, asc, eq, gt, type SQL, sql } from 'drizzle-orm';
import {
  type ActorType,
  type FieldChange,
  type HistorySubject,
  history,
} from '../drizzle/schema.ts';
import type { Database } from './database/open.ts';

/** Who acts, when, and in which request: what every change is recorded with. */
export interface Origin {
  actorType: ActorType;
  /** As it is shown to whoever reads the history; a name or a username, never an identity code. */
  actor: string;
  at: Date;
  /** Unique to the request or command. */
  requestId: string;
  /** The client's own reference of its transaction. */
  clientReference?: string | undefined;
}

export interface Subject {
  type: HistorySubject;
  key: string;
  uuid?: string | undefined;
}

export type Action = (typeof history.$inferInsert)['action'];

export type Changes = Record<string, FieldChange>;

/**
 * The insert that records a change. It stands right behind the statement that makes the change, in the same
 * batch, and writes only if that statement changed a row: `changes()` is SQLite's count for the one before.
 */
export function recordIfChanged(
  db: Database,
  origin: Origin,
  subject: Subject,
  action: Action,
  changes: Changes,
) {
  return db.insert(history).select(sql`
    select null, ${origin.at.toISOString()}, ${subject.type}, ${subject.key}, ${subject.uuid ?? null},
      ${action}, ${origin.actorType}, ${origin.actor}, ${origin.requestId},
      ${origin.clientReference ?? null}, ${JSON.stringify(changes)}
    where changes() > 0`);
}

/**
 * The insert that records as many changes as `source` gives: a query of `key`, `uuid` and `changes` (JSON) of each.
 * In the batch of the changes, it stands where the query can tell what they change, before or after them.
 */
export function recordEach(
  db: Database,
  origin: Origin,
  type: HistorySubject,
  action: Action,
  source: SQL,
) {
  return db.insert(history).select(sql`
    select null, ${origin.at.toISOString()}, ${type}, key, uuid, ${action}, ${origin.actorType}, ${origin.actor},
      ${origin.requestId}, ${origin.clientReference ?? null}, changes
    from (${source})`);
}

/** Whether a request has changed the subject. */
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

/** The history shows that these changed, and nothing of their values. */
const secretFields = new Set(['authInfo', 'registrationCode', 'secretDigest']);

/** What differs between the row and its new values, field by field; empty if nothing does. */
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

/** Changes as every interface shows them: under the names of the fields in snake case, as they are on the wire. */
export function shownChanges(changes: Changes): Changes {
  return Object.fromEntries(
    Object.entries(changes).map(([field, change]) => [
      field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      change,
    ]),
  );
}

/** What happened to everything of this type that went by this key, deleted or not, the oldest first, from behind `after`. */
export async function listHistory(
  db: Database,
  { type, key }: Pick<Subject, 'type' | 'key'>,
  page: { after?: number | undefined; limit: number },
): Promise<(typeof history.$inferSelect)[]> {
  return db
    .select()
    .from(history)
    .where(
      and(eq(history.subject, type), eq(history.subjectKey, key), gt(history.id, page.after ?? 0)),
    )
    .orderBy(asc(history.id))
    .limit(page.limit);
}
