import * as z from 'zod';
import {
  contactStatuses,
  discloseableAttributes,
  identityTypes,
} from '../../../../drizzle/schema.ts';
import { type Problem, RegistryError, throwProblems } from '../../../base/error.ts';
import { asciiUpperCase } from '../../../base/text/ascii-case.ts';
import { isBlank } from '../../../base/text/field.ts';
import { type Contact, derivedStatuses } from '../../../contact/contact.ts';
import { contactFields, type FileColumn } from '../../../contact/fields.ts';
import { identityProblem } from '../../../contact/identity.ts';
import type { ContactRecord } from '../../../contact/operator/import.ts';
import {
  demandRule,
  identityRequestRule,
  reasonIn,
  verificationRule,
} from '../../../contact/operator/verification-rules.ts';
import { contactRules } from '../../../contact/rules.ts';
import { splitList } from '../../command.ts';
import { wordsNote } from '../../files/field.ts';
import { type Columns, columnsNamed, type Values } from '../../files/format.ts';

/** An empty value counts as absent. */
const optional = <Field extends z.core.$ZodType>(field: Field) =>
  z.preprocess((value) => (isBlank(value) ? undefined : value), z.optional(field));

const list = <Field extends z.core.$ZodType>(field: Field) =>
  optional(z.preprocess((text) => splitList(text as string), field));

const label = z.string().trim().max(255, 'has more than 255 characters');

const statuses = z
  .array(z.enum([...contactStatuses, ...derivedStatuses], 'is not a status of a contact'))
  .transform((statuses) => contactStatuses.filter((status) => statuses.includes(status)));

const object = <Field extends z.core.$ZodType>(field: Field) =>
  z.preprocess((text) => parseJson(text as string), field);

const statusNotes = object(z.record(z.string(), z.string(), 'is not a JSON object of strings'));

const verification: FileRule = [
  optional(object(verificationRule)),
  'a JSON object with id, method, framework, reference, result (success, failed or ended), verified_at, verified_by',
];

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const text = (limit: number) => `at most ${limit} characters`;
const country = 'two letters (ISO 3166-1), for example EE';
const phone = '+, country code, dot and number, for example +372.5123456';
const codeNote = `<code of the registrar>:<suffix> of letters, digits, _ . : and -, ${text(100)}`;
const identNote = `identity code, checked by its type and country; ${text(64)}; for birthday a date, for example 2001-12-31`;
const statusesNote = `${wordsNote}: ${contactStatuses.join(' ')}; ${derivedStatuses.join(' and ')} are ignored`;
const statusNotesNote =
  'a JSON object of notes by status; put it in quotes and double the quotes inside';
const disclosedNote = `${wordsNote}: ${discloseableAttributes.join(' ')}`;

/** Columns of exports that imports skip. */
const exportedOnly = ['uuid', 'creator', 'updater', 'createdAt', 'updatedAt'] as const;

type FileRule = [rule: z.core.$ZodType, note: string];

const fileRules = {
  code: [z.pipe(contactRules.code(), z.transform(asciiUpperCase)), codeNote],
  name: [contactRules.name(), text(255)],
  orgName: [optional(contactRules.orgName()), text(255)],
  email: [contactRules.email(), 'one address, for example mari@example.ee'],
  phone: [contactRules.phone(), phone],
  fax: [optional(contactRules.fax()), phone],
  ident: [contactRules.ident(), identNote],
  identType: [contactRules.identType(), identityTypes.join(', ')],
  identCountryCode: [contactRules.identCountryCode(), country],
  street: [optional(contactRules.street()), text(255)],
  city: [optional(contactRules.city()), text(255)],
  zip: [optional(contactRules.zip()), text(16)],
  state: [optional(contactRules.state()), text(255)],
  countryCode: [optional(contactRules.countryCode()), country],
  authInfo: [optional(contactRules.authInfo()), `${text(255)}; by default, a new one`],
  statuses: [list(statuses), statusesNote],
  statusNotes: [optional(statusNotes), statusNotesNote],
  disclosedAttributes: [list(contactRules.disclosedAttributes()), disclosedNote],
  legacyId: [optional(label), text(255)],
  identityVerification: verification,
  nameVerification: verification,
  emailVerification: verification,
  phoneVerification: verification,
  addressVerification: verification,
  verificationDemand: [optional(object(demandRule)), 'a JSON object with claims and by, a day'],
  identityRequest: [
    optional(object(identityRequestRule)),
    'a JSON object with id, sent_at, pending and decided_at',
  ],
} satisfies Record<Exclude<FileColumn, (typeof exportedOnly)[number]>, FileRule>;

const fileFields = (Object.keys(fileRules) as (keyof typeof fileRules)[]).map((column) => {
  const { file: name } = contactFields[column];
  const [rule, note]: FileRule = fileRules[column];
  const isRequired = !z.safeParse(rule, undefined).success;
  return { column, name, rule, note, isRequired };
});

export const contactFileColumns: Columns = {
  registrar: { note: 'code of the registrar, for example ALPHA; otherwise the one of --registrar' },
  ...Object.fromEntries(fileFields.map((field) => [field.name, field])),
};

/** Throws all problems of the row. `registrar` is the default. */
export function readContact(
  values: Values,
  registrar: string | undefined,
  now: Date,
): ContactRecord {
  const isMissing = ({ name, isRequired }: FileField) => isRequired && isBlank(values[name]);
  const problems: Problem[] = fileFields
    .filter(isMissing)
    .map(({ name }) => ({ reason: 'missing', message: `${name} is missing`, field: name }));
  const row: Record<string, unknown> = {};
  for (const field of fileFields.filter((field) => !isMissing(field))) {
    const { column, name, rule } = field;
    const parsed = z.safeParse(rule, values[name]);
    if (parsed.success) row[column] = parsed.data;
    else {
      const message = reasonOf(field, values[name], parsed.error);
      problems.push({ reason: 'invalid', message, field: name });
    }
  }
  throwProblems(problems);
  // Each value has passed the rule of its column.
  const record = { registrar: registrarOf(values, registrar), ...row } as ContactRecord;
  const problem = identityProblem(record, now);
  if (problem) throw new RegistryError([problem]);
  return record;
}

type FileField = (typeof fileFields)[number];

/** A contact's code does not name its registrar. */
function registrarOf(values: Values, registrar: string | undefined): string {
  if (values.registrar && !isBlank(values.registrar)) return values.registrar;
  if (registrar !== undefined) return registrar;
  const message = 'registrar is missing: name it in the column or with --registrar';
  throw new RegistryError('missing', message, 'registrar');
}

/** The reason of the refusal, with the column's note: the interfaces' messages do not describe valid values. */
function reasonOf({ note }: FileField, value: unknown, error: z.core.$ZodError): string {
  const message = reasonIn(error);
  return / is invalid$/.test(message) ? `${JSON.stringify(value)} is not valid: ${note}` : message;
}

export const contactExportColumns: Columns = {
  ...contactFileColumns,
  ...columnsNamed(exportedOnly.map((column) => contactFields[column].file)),
};

/** Lists are words separated by spaces. */
export function contactRow(contact: Contact, registrar: string): Record<string, unknown> {
  const columns = [...fileFields.map(({ column }) => column), ...exportedOnly];
  const fields = columns.map((column) => {
    const value = contact[column];
    return [contactFields[column].file, Array.isArray(value) ? value.join(' ') : value];
  });
  return { registrar, ...Object.fromEntries(fields) };
}
