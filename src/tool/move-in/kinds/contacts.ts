import type * as z from 'zod/mini';
import { claims, contactStatuses, contacts } from '../../../../drizzle/schema.ts';
import { currentTime } from '../../../base/time/clock.ts';
import { derivedStatuses, generateAuthInfo, keysOf } from '../../../contact/contact.ts';
import { insertContacts } from '../../../contact/create.ts';
import { contactColumns, contactFields, verificationColumn } from '../../../contact/fields.ts';
import { invalidValues } from '../../../contact/invalid.ts';
import {
  demandRule,
  identityRequestRule,
  reasonIn,
  verificationRule,
} from '../../../contact/operator/verification-rules.ts';
import { contactRules } from '../../../contact/rules.ts';
import { hasValue } from '../../../contact/verifications.ts';
import { columnOf, kindOf, registrarOf } from './kind.ts';
import * as read from './reader.ts';

const readers: Readonly<Record<string, read.ReadText>> = {
  uuid: read.uuid,
  code: read.code,
  identCountryCode: read.country,
  statuses: storedStatuses,
  statusNotes: read.map,
  disclosedAttributes: read.list,
  createdAt: pastInstant,
  updatedAt: pastInstant,
  ...Object.fromEntries(
    Object.values(verificationColumn).map((column) => [column, record(verificationRule)]),
  ),
  verificationDemand: record(demandRule),
  identityRequest: record(identityRequestRule),
};

/** Drops a malformed object: a former registry may have no such data. */
function record(rule: z.ZodMiniType): read.ReadText {
  return (text, note) => {
    const { data, error } = rule.safeParse(objectIn(text));
    if (error) note(`${reasonIn(error)}; it is left out`);
    return error ? null : JSON.stringify(data);
  };
}

function objectIn(text: string | null | undefined): Record<string, unknown> | null {
  const value = read.parseJson(text ?? 'null');
  return value && typeof value === 'object' ? { ...value } : null;
}

function storedStatuses(text: string, note: read.Note) {
  const derived: readonly string[] = derivedStatuses;
  const named = contactStatuses.filter((status) => text.includes(status));
  if (named.length > 0 && !Array.isArray(read.parseJson(text))) {
    // A status within one text would prohibit nothing.
    note('is not a list; it is now a list of the statuses that it names');
    return JSON.stringify(named);
  }
  const statuses: string[] = JSON.parse(read.list(text, note)!);
  return JSON.stringify(statuses.filter((status) => !derived.includes(status)));
}

/** Drops a future time: a registrar's later changes must have later times. */
function pastInstant(text: string, note: read.Note) {
  const at = read.requiredInstant(text, note);
  if (!at || at <= currentTime().toISOString()) return at;
  note('is in the future; it is left out');
  return undefined;
}

const fileFields = contactColumns.flatMap(([field, { file }]) =>
  file === null ? [] : [{ field, file }],
);

export const contactKind = kindOf(contacts, {
  name: 'contacts',
  columns: {
    id: read.positiveInteger,
    registrar: registrarOf(contacts.registrarId),
    ...Object.fromEntries(
      fileFields.map(({ field, file }) => [file, columnOf(contacts, field, readers[field])]),
    ),
  },
  key: ['code'],
  required: ['id', 'registrar'],
  unique: ({ id, uuid }) => ({ id: id!, uuid: uuid ?? null }),
  mayFallBack: true,
  defaults: { uuid: () => crypto.randomUUID(), auth_info: () => generateAuthInfo() },
  check(form, note) {
    // Notes values that a registrar could not send today.
    const values = fileFields.map(({ field, file }) => {
      const text = form[file] ?? null;
      return [field, readers[field] === read.list ? JSON.parse(text ?? '[]') : text];
    });
    const filled = Object.fromEntries(values);
    const { error } = contactRules.code().safeParse(form.code);
    if (error)
      note('code', 'carried', `${error.issues[0]!.message}; a path needs it percent-encoded`);
    for (const one of invalidValues(filled, currentTime())) {
      note(one.field, 'carried', one.reason === 'missing' ? 'is missing' : one.message);
    }
    const baseless = claims.filter((claim) => !hasValue(filled, claim));
    const dropped = baseless.map((claim) => {
      const { file } = contactFields[verificationColumn[claim]];
      const { result = 'ended' } = objectIn(form[file]) ?? {};
      if (result === 'ended') return [file, form[file] ?? null];
      note(file, 'changed', `is of a contact without ${claim}; it is left out`);
      return [file, null];
    });
    return { ...form, ...Object.fromEntries(dropped) };
  },
  subject: 'contact',
  derived: ({ ident, name, email }) =>
    keysOf({ ident: ident ?? '', name: name ?? '', email: email ?? '' }),
  insert: (db, rows, at) => [insertContacts(db, rows, at)],
});
