import type { history } from '../../../drizzle/schema.ts';
import { shownChanges } from '../../history/changes.ts';
import { nounOf } from './subject.ts';

export type Entry = typeof history.$inferSelect;

/** An entry of history as commands answer it with --json and archive it. */
export function historyData(entry: Entry) {
  return {
    occurred_at: entry.occurredAt,
    subject: nounOf(entry.subject),
    key: entry.subjectKey,
    uuid: entry.subjectUuid,
    action: entry.action,
    actor_type: entry.actorType,
    actor: entry.actor,
    request_id: entry.requestId,
    client_reference: entry.clientReference,
    changes: shownChanges(entry.changes),
  };
}
