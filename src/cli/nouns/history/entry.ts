import type { HistorySubject } from '../../../../drizzle/schema.ts';
import { shownChanges } from '../../../history/changes.ts';
import type { HistoryEntry } from '../../../history/search.ts';

/** An entry of history as commands answer it with --json. */
export function historyData(entry: HistoryEntry) {
  return {
    occurred_at: entry.occurredAt,
    subject: nounOf[entry.subject],
    key: entry.subjectKey,
    uuid: entry.subjectUuid,
    registrar: entry.registrar,
    action: entry.action,
    actor_type: entry.actorType,
    actor: entry.actor,
    request_id: entry.requestId,
    client_reference: entry.clientReference,
    changes: shownChanges(entry.changes),
  };
}

/** The noun of the tool for each subject of history. */
export const nounOf = {
  registrar: 'registrar',
  api_user: 'api-user',
  system: 'system',
  contact: 'contact',
  domain: 'domain',
  retained_domain: 'retained',
  dispute: 'dispute',
  auction: 'auction',
  disclosure: 'disclosure',
} as const satisfies Record<HistorySubject, string>;
