import type { FieldChange, HistorySubject } from '../../drizzle/schema.ts';
import type { Problem } from '../error.ts';
import { type Action, type Changes, shownChanges } from '../history/changes.ts';
import type { HistoryEntry } from '../history/search.ts';

/** The change that takes one change back. */
export interface Reversal {
  subject: HistorySubject;
  key: string;
  uuid: string | null;
  /** As the entry records it. */
  registrar: string | null;
  action: Action;
  changes: Changes;
  /** The change that is taken back. */
  entry: HistoryEntry;
}

/** The changes that can be taken back: what was there before can be made again from the history alone. */
const revertible: Record<HistorySubject, readonly Action[]> = {
  retained_domain: ['create', 'update', 'delete'],
  dispute: ['create', 'update', 'delete'],
  auction: ['create', 'delete'],
  contact: ['create', 'update', 'delete'],
  domain: ['create', 'update', 'delete'],
  registrar: [],
  api_user: [],
  system: [],
  disclosure: [],
};

/** The operator's commands give no reference of their own: with one, an entry takes back the request that it names. */
export function isRevertOf(request: string, entry: HistoryEntry | null): boolean {
  return entry?.actorType === 'operator' && entry.clientReference === request;
}

/** The reason why a change cannot be taken back, with the change. */
export function problemOf(
  { action, subject, subjectKey }: HistoryEntry,
  reason: Problem['reason'],
  why: string,
): Problem {
  return { reason, message: `${action} ${subject.replace('_', ' ')} ${subjectKey}: ${why}` };
}

export function reversalProblems(entry: HistoryEntry, newer: HistoryEntry | null): Problem[] {
  const problem = (reason: Problem['reason'], why: string) => [problemOf(entry, reason, why)];
  if (entry.actorType !== 'operator') {
    return problem(
      'invalid',
      `made by ${entry.actor}; only the operator's commands can be taken back`,
    );
  }
  const fieldsThat = (has: (change: FieldChange, field: string) => boolean) =>
    Object.entries(shownChanges(entry.changes))
      .filter(([field, change]) => has(change, field))
      .map(([field]) => field)
      .join(', ');
  const removed = fieldsThat((change) => 'removed' in change);
  if (removed) return problem('gone', `the values of ${removed} were removed from the history`);
  if (!revertible[entry.subject].includes(entry.action)) {
    return problem('invalid', 'this kind of change cannot be taken back');
  }
  // What the identity service was asked about somebody is forgotten with the identity, not restored.
  const secret = fieldsThat(
    (change, field) => 'redacted' in change && field !== 'identity_request',
  );
  const isContactDeletion = entry.subject === 'contact' && entry.action === 'delete';
  // A creation is taken back without its values; a contact that was deleted comes back with a new auth_info.
  if (secret && entry.action !== 'create' && !isContactDeletion) {
    return problem('gone', `the history does not have the values of ${secret}`);
  }
  if (!newer) return [];
  const { action, actor, occurredAt, requestId } = newer;
  return problem(
    'changed_meanwhile',
    `changed since: ${action} by ${actor} at ${occurredAt}, request ${requestId}`,
  );
}

const inverseActions = { create: 'delete', update: 'update', delete: 'create' } as const;

export function reversalOf(entry: HistoryEntry): Reversal {
  const { subject, subjectKey: key, subjectUuid: uuid, registrar, action } = entry;
  const changes = Object.entries(entry.changes).map(([field, change]): [string, FieldChange] => [
    field,
    'from' in change ? { from: change.to, to: change.from } : change,
  ]);
  // The first creation does not record its time as a field; a later one records that of the first.
  if ((subject === 'auction' || subject === 'domain') && action === 'create') {
    changes.unshift(['createdAt', { from: entry.occurredAt, to: null }]);
  }
  return {
    subject,
    key,
    uuid,
    registrar,
    action: inverseActions[action],
    changes: Object.fromEntries(changes),
    entry,
  };
}

/** The values that fields get by the changes. */
export function valuesAfter(changes: Changes): Record<string, unknown> {
  const values = Object.entries(changes).flatMap(([field, change]) =>
    'from' in change ? [[field, change.to]] : [],
  );
  return Object.fromEntries(values);
}
