import * as z from 'zod';
import { contactStatuses } from '../../../drizzle/schema.ts';
import { contactFields, isBlank } from '../../contact/fields.ts';
import type { ContactRecord } from '../../contact/import.ts';
import type { Contact } from '../../contact/read.ts';
import { type Problem, RegistryError } from '../../error.ts';
import { identityProblem } from '../../identity.ts';

/** What is left empty counts as not given. */
const optional = <Field extends z.ZodType>(field: Field) =>
  z.preprocess((value) => (isBlank(value) ? undefined : value), field.optional());

/** A list in JSON, or words separated by spaces. */
const words = <Field extends z.ZodType>(field: Field) =>
  optional(
    z.preprocess(
      (value) => (typeof value === 'string' ? value.trim().split(/[\s,]+/) : value),
      field,
    ),
  );

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

const fields = {
  code: contactFields.code
    .refine((code) => /^[^:]+:./.test(code), 'is no contact code, as ALPHA:1B7A3C5D')
    .transform((code) => code.toUpperCase()),
  uuid: optional(z.guid('is no UUID').transform((uuid) => uuid.toLowerCase())),
  name: contactFields.name,
  org_name: optional(contactFields.orgName),
  email: contactFields.email,
  phone: contactFields.phone,
  fax: optional(contactFields.fax),
  ident: contactFields.identCode,
  ident_type: contactFields.identType,
  ident_country_code: contactFields.identCountryCode,
  street: optional(contactFields.street),
  city: optional(contactFields.city),
  zip: optional(contactFields.zip),
  state: optional(contactFields.state),
  country_code: optional(contactFields.countryCode),
  auth_info: optional(contactFields.authInfo),
  statuses: words(statuses),
  status_notes: optional(statusNotes),
  disclosed_attributes: words(contactFields.disclosedAttributes),
  legacy_id: optional(label),
  creator_str: optional(label),
  updator_str: optional(label),
  created_at: optional(timestamp),
  updated_at: optional(timestamp),
};

const shape = z.object(fields);

const required = ['code', 'name', 'email', 'phone', 'ident', 'ident_type', 'ident_country_code'];

export const contactColumns = { known: ['registrar', ...Object.keys(fields)], required };

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

/** The contact as `readContact` reads it. Lists are words, so that they fit a field of CSV. */
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
