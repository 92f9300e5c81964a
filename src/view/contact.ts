import type { Verification } from '../../drizzle/schema.ts';
import { type Contact, type ContactWithRegistrar, statusesOf } from '../contact/contact.ts';
import { contactColumns } from '../contact/fields.ts';
import type { InvalidValue } from '../contact/invalid.ts';
import type { ContactDeletion } from '../contact/operator/administer.ts';
import { openDemand } from '../contact/verifications.ts';
import { plain, type Shown } from './columns.ts';
import { actorText, checkWords, countryText, dateText, fieldWords, timeText } from './words.ts';

/** A contact with an export's column names and the interfaces' statuses. */
export const contactsView: Shown<ContactWithRegistrar> = {
  name: 'contacts',
  columns: {
    registrar: 'registrar',
    ...Object.fromEntries(
      contactColumns.flatMap(([column, { file }]) => (file === null ? [] : [[file, column]])),
    ),
    ident: { of: 'ident', cell: (one) => `${one.identCountryCode} ${one.ident}` },
    statuses: statusesOf,
    verification_demand: { of: 'verificationDemand', cell: openDemand },
  },
  table: 'code name ident email statuses',
};

export const deletedContacts: Shown<ContactDeletion> = {
  name: 'contacts',
  columns: plain('code', 'uuid', 'registrar', 'deletedAt', 'ended'),
  table: 'code uuid registrar deleted_at ended',
};

/** `person 48703146529 (Estonia)`. */
export function identityText({ ident, identType, identCountryCode }: Contact): string {
  const code = identType === 'birthday' ? dateText(ident) : ident;
  return `${fieldWords(identType)} ${code} (${countryText(identCountryCode)})`;
}

const results = {
  success: 'yes,',
  failed: 'no, the check failed',
  ended: 'no longer, it has changed since its check',
};

/** `yes, on 27 Nov 2026, 23:13 UTC (2 hours ago) by API user ats: eid` */
export function checkText(check: Verification): string {
  const { result, method, framework, reference, verified_at: at, verified_by: who } = check;
  const how = [checkWords(method), framework && checkWords(framework), reference];
  return `${results[result]} on ${timeText(at)}${who ? ` by ${actorText(who)}` : ''}: ${how.filter(Boolean).join(', ')}`;
}

type JudgedContact = ContactWithRegistrar & { invalid: InvalidValue[] };

export const invalidContactsView = {
  columns: plain<JudgedContact>('registrar', 'code', 'invalid'),
  textOf: ({ code, invalid }: JudgedContact) => invalid.map((value) => lineOf(code, value)),
  none: 'there are no such contacts',
};

/** `ALPHA:1: Phone nr is invalid: "+3725551234" [phone]` */
function lineOf(code: string, { reason, message, field, value }: InvalidValue): string {
  const judged = value === undefined ? message : `${message}: ${JSON.stringify(value)}`;
  return `${code}: ${reason === 'missing' ? `${field} is missing` : judged} [${field}]`;
}
