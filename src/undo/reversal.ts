import type { FieldChange, HistorySubject } from '../../drizzle/schema.ts';
import type { Problem } from '../base/error.ts';
import { plainText, type Sentence, sentence } from '../base/text/sentence.ts';
import type { Action, Changes } from '../change/history/changes.ts';
import type { HistoryEntry } from '../change/history/search.ts';

export type Reversal = ReturnType<typeof reversalOf>;

const inverseActions = { create: 'delete', update: 'update', delete: 'create' } as const;

export function reversalOf(entry: HistoryEntry) {
  const { subject, subjectKey: key, subjectUuid: uuid, registrar } = entry;
  // A reason is that of its own entry.
  const values = Object.entries(entry.changes).filter(([field]) => field !== 'reason');
  const changes = values.map(([field, change]): [string, FieldChange] => [
    field,
    'from' in change ? { from: change.to, to: change.from } : change,
  ]);
  // Only a restoring creation records `created_at` as a field. A contact gets it from its first entry.
  if (subject !== 'contact' && entry.action === 'create') {
    changes.unshift(['createdAt', { from: entry.occurredAt, to: null }]);
  }
  const action: Action = inverseActions[entry.action];
  return { subject, key, uuid, registrar, action, changes: Object.fromEntries(changes), entry };
}

const everyAction = ['create', 'update', 'delete'] as const;

/** The actions whose earlier values the history has. It lacks secrets. */
const revertible = {
  retained_domain: everyAction,
  dispute: everyAction,
  auction: ['create', 'delete'],
  contact: everyAction,
  domain: everyAction,
  registrar: [],
  api_user: [],
  system: [],
  disclosure: [],
} as const satisfies Record<HistorySubject, readonly Action[]>;

export type RevertibleAction<Subject extends HistorySubject> = (typeof revertible)[Subject][number];

export function isRevertible({ subject, action }: Reversal): boolean {
  const actions: readonly Action[] = revertible[subject];
  return actions.includes(action);
}

export function returning(reversals: readonly Reversal[], kind: HistorySubject): Reversal[] {
  return reversals.filter(({ subject, action }) => subject === kind && action === 'create');
}

export function problemOf(
  { action, subject, subjectKey }: HistoryEntry,
  reason: Problem['reason'],
  why: string | Sentence,
): Problem {
  const all = sentence`${action} ${subject.replace('_', ' ')} ${subjectKey}: ${why}`;
  return { reason, message: plainText(all), sentence: all };
}

export function valuesAfter(changes: Changes): Record<string, unknown> {
  const values = Object.entries(changes).flatMap(([field, change]) =>
    'from' in change ? [[field, change.to]] : [],
  );
  return Object.fromEntries(values);
}
