import type { FieldChange, HistorySubject, history } from '../../../drizzle/schema.ts';

export type Subject = { key: string; uuid?: string | undefined } & (
  | { type: RegistrarsSubject; registrar: string | null }
  | { type: Exclude<HistorySubject, RegistrarsSubject>; registrar?: undefined }
);

/** Subjects that belong to a registrar. The history records its code, or null if unknown. */
export const registrarsSubjects = ['contact', 'domain'] as const satisfies HistorySubject[];
type RegistrarsSubject = (typeof registrarsSubjects)[number];

export type Action = (typeof history.$inferInsert)['action'];

export type Changes = Record<string, FieldChange>;

/**
 * History shows that these fields changed, but not their values: secrets, words about a person, who began a dispute or
 * asked for a disclosure, and whom an identity service identified.
 */
const hiddenFields = new Set([
  'authInfo',
  'comment',
  'explanation',
  'identifiedBy',
  'identityRequest',
  'initiator',
  'keyDigest',
  'password',
  'passwordHash',
  'previousKeyDigest',
  'previousSecretDigest',
  'registrationCode',
  'requester',
  'secretDigest',
  'webhookSecret',
]);

export function difference(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): Changes {
  const changes: Changes = {};
  for (const [field, to] of Object.entries(after)) {
    const from = before[field] ?? null;
    if (to === undefined || JSON.stringify(from) === JSON.stringify(to)) continue;
    changes[field] = hiddenFields.has(field) ? { redacted: true } : { from, to };
  }
  return changes;
}

export function snakeCase(column: string): string {
  return column.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Changes as every interface shows them: without keys and UUIDs, with field names in snake case. */
export function changesRepresentation(changes: Changes): Changes {
  return Object.fromEntries(
    Object.entries(changes).map(([field, change]) => [
      snakeCase(field),
      'from' in change ? { from: change.from, to: change.to } : change,
    ]),
  );
}
