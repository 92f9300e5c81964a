import type { FieldChange, HistorySubject } from '../../../drizzle/schema.ts';
import type { Problem } from '../../base/error.ts';
import type { Action, Changes } from '../../change/history/changes.ts';
import type { HistoryEntry } from '../../change/history/search.ts';

/** The change that takes one change back. */
export interface Reversal {
  subject: HistorySubject;
  key: string;
  uuid: string | null;
  registrar: string | null;
  action: Action;
  changes: Changes;
  /** The change that is taken back. */
  entry: HistoryEntry;
}

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
