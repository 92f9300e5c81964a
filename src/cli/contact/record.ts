import * as z from 'zod';
import { contactStatuses, discloseableAttributes, identityTypes } from '../../../drizzle/schema.ts';
import { asciiLowerCase, asciiUpperCase } from '../../ascii-case.ts';
import { contactFields } from '../../contact/fields.ts';
import { identityProblem } from '../../contact/identity.ts';
import type { ContactRecord } from '../../contact/import.ts';
import type { Contact } from '../../contact/read.ts';
import { type Problem, RegistryError } from '../../error.ts';
import { isBlank } from '../../text-field.ts';
import { words, wordsNote } from '../file/field.ts';
import type { Columns } from '../file/read.ts';

/** What is left empty counts as not given. */
const optional = <Field extends z.ZodType>(field: Field) =>
  z.preprocess((value) => (isBlank(value) ? undefined : value), field.optional());

/** Words, or a list in NDJSON. */
const list = <Field extends z.ZodType>(field: Field) => optional(z.preprocess(words, field));

const timestamp = z.iso
  .datetime({ offset: true, error: 'is no ISO 8601 timestamp, as 2026-01-31T12:00:00.000Z' })
  .transform((text) => new Date(text).toISOString());

const label = z
  .union([z.string(), z.number().int()], 'is no text')
  .transform(String)
  .pipe(z.string().trim().max(255, 'has over 255 characters'));

/** The names that a contact's listing shows, which are derived from others. */
const derivedStatuses = ['ok', 'linked'] as const;

const statuses = z
  .array(z.enum([...contactStatuses, ...derivedStatuses], 'is no status of a contact'))
  .transform((given) => contactStatuses.filter((status) => given.includes(status)));

const statusNotes = z.preprocess(
  (value) => (typeof value === 'string' ? parseJson(value) : value),
  z.record(z.string(), z.string(), 'is no JSON object of texts'),
);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const text = (limit: number) => `at most ${limit} characters`;
const country = 'two letters (ISO 3166-1), as EE';
const phone = 'as +372.5123456';
const instant = 'ISO 8601 with Z or an offset, as 2026-01-31T12:00:00.000Z';

/** Each with what the help says of it. */
const fields = {
  code: contactFields.code
    .transform(asciiUpperCase)
    .describe(
      `<code of the registrar>:<suffix> of letters, digits, _ . : and -, ${text(100)}, as ALPHA:1B7A3C5D`,
    ),
  uuid: optional(z.guid('is no UUID').transform(asciiLowerCase)).describe(
    'as 0d2f7a2e-5a0e-4c40-8ad4-5c8a2b6f3f11; a new one unless given',
  ),
  name: contactFields.name.describe(text(255)),
  org_name: optional(contactFields.orgName).describe(text(255)),
  email: contactFields.email.describe('one address'),
  phone: contactFields.phone.describe(phone),
  fax: optional(contactFields.fax).describe(phone),
  ident: contactFields.identCode.describe(
    `identity code, checked by its type and country; ${text(64)}; a date, as 2001-12-31, for birthday`,
  ),
  ident_type: contactFields.identType.describe(identityTypes.join(', ')),
  ident_country_code: contactFields.identCountryCode.describe(country),
  street: optional(contactFields.street).describe(text(255)),
  city: optional(contactFields.city).describe(text(255)),
  zip: optional(contactFields.zip).describe(text(16)),
  state: optional(contactFields.state).describe(text(255)),
  country_code: optional(contactFields.countryCode).describe(country),
  auth_info: optional(contactFields.authInfo).describe(`${text(255)}; a new one unless given`),
  statuses: list(statuses).describe(
    `${wordsNote}: ${contactStatuses.join(' ')}; ${derivedStatuses.join(' and ')} are derived, and left out`,
  ),
  status_notes: optional(statusNotes).describe(
    'JSON object of a text by status, as {"serverUpdateProhibited":"why"}; in CSV in quotes, its own quotes doubled',
  ),
  disclosed_attributes: list(contactFields.disclosedAttributes).describe(
    `${wordsNote}: ${discloseableAttributes.join(' ')}`,
  ),
  legacy_id: optional(label).describe(`${text(255)}; in NDJSON a whole number, too`),
  creator_str: optional(label).describe(`who made it, ${text(255)}; the operator unless given`),
  updator_str: optional(label).describe(`who changed it last, ${text(255)}`),
  created_at: optional(timestamp).describe(`${instant}; updated_at, or now, unless given`),
  updated_at: optional(timestamp).describe('in the same form; created_at unless given'),
};

const shape = z.object(fields);

export const contactColumns: Columns = {
  registrar: {
    note: 'code of the registrar, as ALPHA; required unless --registrar says it for all rows',
    isRequired: false,
  },
  ...Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      { note: field.description!, isRequired: !field.safeParse(undefined).success },
    ]),
  ),
};

const required = Object.keys(contactColumns).filter((name) => contactColumns[name]!.isRequired);

/** Reads a row of a file; throws everything that is wrong with it. `registrar` is meant where the row names none. */
export function readContact(
  values: Record<string, unknown>,
  registrar: string | undefined,
  now: Date,
): ContactRecord {
  const given = isBlank(values.registrar) ? registrar : values.registrar;
  const missing = required.filter((field) => isBlank(values[field]));
  if (given === undefined) missing.push('registrar');
  const problems: Problem[] = missing.map((field) => ({
    reason: 'missing',
    message: `${field} is missing`,
    field,
  }));
  const parsed = shape.safeParse(values);
  if (!parsed.success) {
    for (const { message, path } of parsed.error.issues) {
      const field = String(path[0]);
      if (!missing.includes(field)) problems.push({ reason: 'invalid', message, field });
    }
  } else {
    const { ident, ident_type, ident_country_code } = parsed.data;
    const identity = { code: ident, type: ident_type, countryCode: ident_country_code };
    const problem = identityProblem(identity, now);
    if (problem) problems.push(problem);
  }
  const [first, ...others] = problems;
  if (first) throw new RegistryError([first, ...others]);
  return recordOf(parsed.data!, String(given));
}

function recordOf(row: z.output<typeof shape>, registrar: string): ContactRecord {
  return {
    registrar,
    code: row.code,
    uuid: row.uuid,
    name: row.name,
    orgName: row.org_name,
    email: row.email,
    phone: row.phone,
    fax: row.fax,
    ident: row.ident,
    identType: row.ident_type,
    identCountryCode: row.ident_country_code,
    street: row.street,
    city: row.city,
    zip: row.zip,
    state: row.state,
    countryCode: row.country_code,
    authInfo: row.auth_info,
    statuses: row.statuses,
    statusNotes: row.status_notes,
    disclosedAttributes: row.disclosed_attributes,
    legacyId: row.legacy_id,
    creator: row.creator_str,
    updater: row.updator_str,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** The contact as `readContact` reads it. Lists are words, which a field of CSV holds as they are. */
export function contactRow(contact: Contact, registrar: string): Record<string, unknown> {
  return {
    registrar,
    code: contact.code,
    uuid: contact.uuid,
    name: contact.name,
    org_name: contact.orgName,
    email: contact.email,
    phone: contact.phone,
    fax: contact.fax,
    ident: contact.ident,
    ident_type: contact.identType,
    ident_country_code: contact.identCountryCode,
    street: contact.street,
    city: contact.city,
    zip: contact.zip,
    state: contact.state,
    country_code: contact.countryCode,
    auth_info: contact.authInfo,
    statuses: contact.statuses.join(' '),
    status_notes: contact.statusNotes,
    disclosed_attributes: contact.disclosedAttributes.join(' '),
    legacy_id: contact.legacyId,
    creator_str: contact.creator,
    updator_str: contact.updater,
    created_at: contact.createdAt,
    updated_at: contact.updatedAt,
  };
}
