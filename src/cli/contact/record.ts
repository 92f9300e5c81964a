import * as z from 'zod';
import { contactStatuses, discloseableAttributes, identityTypes } from '../../../drizzle/schema.ts';
import { asciiLowerCase, asciiUpperCase } from '../../ascii-case.ts';
import type { Contact } from '../../contact/contact.ts';
import { contactFields, type FileColumn } from '../../contact/fields.ts';
import { identityProblem } from '../../contact/identity.ts';
import type { ContactRecord } from '../../contact/import.ts';
import { contactRules } from '../../contact/rules.ts';
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

/** What a file may give for each column, and what the help says of it. */
const fileRules = {
  code: contactRules
    .code()
    .transform(asciiUpperCase)
    .describe(
      `<code of the registrar>:<suffix> of letters, digits, _ . : and -, ${text(100)}, as ALPHA:1B7A3C5D`,
    ),
  uuid: optional(z.guid('is no UUID').transform(asciiLowerCase)).describe(
    'as 0d2f7a2e-5a0e-4c40-8ad4-5c8a2b6f3f11; a new one unless given',
  ),
  name: contactRules.name().describe(text(255)),
  orgName: optional(contactRules.orgName()).describe(text(255)),
  email: contactRules.email().describe('one address'),
  phone: contactRules.phone().describe(phone),
  fax: optional(contactRules.fax()).describe(phone),
  ident: contactRules
    .ident()
    .describe(
      `identity code, checked by its type and country; ${text(64)}; a date, as 2001-12-31, for birthday`,
    ),
  identType: contactRules.identType().describe(identityTypes.join(', ')),
  identCountryCode: contactRules.identCountryCode().describe(country),
  street: optional(contactRules.street()).describe(text(255)),
  city: optional(contactRules.city()).describe(text(255)),
  zip: optional(contactRules.zip()).describe(text(16)),
  state: optional(contactRules.state()).describe(text(255)),
  countryCode: optional(contactRules.countryCode()).describe(country),
  authInfo: optional(contactRules.authInfo()).describe(`${text(255)}; a new one unless given`),
  statuses: list(statuses).describe(
    `${wordsNote}: ${contactStatuses.join(' ')}; ${derivedStatuses.join(' and ')} are derived, and left out`,
  ),
  statusNotes: optional(statusNotes).describe(
    'JSON object of a text by status, as {"serverUpdateProhibited":"why"}; in CSV in quotes, its own quotes doubled',
  ),
  disclosedAttributes: list(contactRules.disclosedAttributes()).describe(
    `${wordsNote}: ${discloseableAttributes.join(' ')}`,
  ),
  legacyId: optional(label).describe(`${text(255)}; in NDJSON a whole number, too`),
  creator: optional(label).describe(`who made it, ${text(255)}; the operator unless given`),
  updater: optional(label).describe(`who changed it last, ${text(255)}`),
  createdAt: optional(timestamp).describe(`${instant}; updated_at, or now, unless given`),
  updatedAt: optional(timestamp).describe('in the same form; created_at unless given'),
} satisfies Record<FileColumn, z.ZodType>;

/** In the order of a file's columns. */
const fileColumns = Object.keys(fileRules) as FileColumn[];

/** The rules by the names that the columns have in a file. */
const fields = Object.fromEntries(
  fileColumns.map((column) => [contactFields[column].file, fileRules[column]]),
);

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
  let record: ContactRecord | undefined;
  if (!parsed.success) {
    for (const { message, path } of parsed.error.issues) {
      const field = String(path[0]);
      if (!missing.includes(field)) problems.push({ reason: 'invalid', message, field });
    }
  } else {
    record = recordOf(parsed.data, String(given));
    const { ident, identType, identCountryCode } = record;
    const identity = { code: ident, type: identType, countryCode: identCountryCode };
    const problem = identityProblem(identity, now);
    if (problem) problems.push(problem);
  }
  const [first, ...others] = problems;
  if (first || !record) throw new RegistryError([first!, ...others]);
  return record;
}

function recordOf(row: Record<string, unknown>, registrar: string): ContactRecord {
  const columns = fileColumns.map((column) => [column, row[contactFields[column].file]]);
  // Each value has passed the rule of its column.
  return { registrar, ...Object.fromEntries(columns) } as ContactRecord;
}

/** The contact as `readContact` reads it. Lists are words, which a field of CSV holds as they are. */
export function contactRow(contact: Contact, registrar: string): Record<string, unknown> {
  const columns = fileColumns.map((column) => {
    const value = contact[column];
    return [contactFields[column].file, Array.isArray(value) ? value.join(' ') : value];
  });
  return { registrar, ...Object.fromEntries(columns) };
}
