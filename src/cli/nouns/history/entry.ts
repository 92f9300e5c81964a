import type { HistorySubject } from '../../../../drizzle/schema.ts';
import { shownChanges } from '../../../history/changes.ts';
import type { HistoryEntry } from '../../../history/search.ts';

/** An entry of history as commands answer it with --json and archive it. */
export function historyData(entry: HistoryEntry) {
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

const nounOfSubject = {
  registrar: 'registrar',
  api_user: 'api-user',
  contact: 'contact',
  domain: 'domain',
  retained_domain: 'retained',
  dispute: 'dispute',
  auction: 'auction',
} as const satisfies Record<HistorySubject, string>;

type Noun = (typeof nounOfSubject)[HistorySubject];

/** The nouns whose history is kept. */
export const historyNouns = Object.values(nounOfSubject);

/** The noun of the tool for a subject of history. */
export function nounOf(subject: HistorySubject): Noun {
  return nounOfSubject[subject];
}

/** The subject of history for a noun of the tool. */
export function subjectOfNoun(noun: Noun): HistorySubject {
  const subjects = Object.keys(nounOfSubject) as HistorySubject[];
  return subjects.find((subject) => nounOfSubject[subject] === noun)!;
}
