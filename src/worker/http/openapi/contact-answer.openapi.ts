import { getTableColumns } from 'drizzle-orm';
import * as z from 'zod';
import {
  claims,
  contactStatuses,
  contacts,
  discloseableAttributes,
  history,
  identityTypes,
} from '../../../../drizzle/schema.ts';
import { expectation } from '../../../base/text/field.ts';
import type { Contact } from '../../../contact/contact.ts';
import { type ContactField, contactColumns, type contactFields } from '../../../contact/fields.ts';
import { identityForms } from '../../../contact/identity.ts';
import {
  personalRepresentation,
  registrantRepresentation,
  registrarRepresentation,
} from '../../../contact/representation.ts';
import { contactRules } from '../../../contact/rules.ts';
import { instantType, named } from './describe.ts';

/**
 * Contacts in the document: the fields come from the one list of fields, the shapes from the functions that make the responses, called with a
 * contact whose values are zod types.
 */

type Fields = typeof contactFields;
type ShownColumn = {
  [Column in keyof Fields]: Fields[Column] extends { registrar: null; registrant: null }
    ? never
    : Column;
}[keyof Fields];

const descriptions: Record<ShownColumn, string> = {
  id: 'The record id, by which lists are ordered.',
  uuid: 'The contact’s UUID.',
  name: 'The name of the person or organisation.',
  code: 'The contact’s code: the registrar’s prefix, a colon, and the id that it chose or that was drawn.',
  ident:
    `The identity code. \`priv\`: ${identityForms.priv}; elsewhere any text, such as a passport ` +
    `number. \`org\`: ${identityForms.org}; any text elsewhere. \`birthday\`: ` +
    `${identityForms.birthday}.`,
  identType: 'What kind of code it is: of a private person, of an organisation, or a birthday.',
  identCountryCode: 'The country of the identity code (ISO 3166-1 alpha-2), stored in upper case.',
  email: `The email address: ${expectation(contactRules.email())}.`,
  phone: `The telephone number: ${expectation(contactRules.phone())}.`,
  fax: 'The fax number, in the form of `phone`.',
  street: 'Street and house.',
  zip: 'The postal code.',
  city: 'The city.',
  state: 'The state or county.',
  countryCode:
    'The country of the address (ISO 3166-1 alpha-2), stored in upper case. Empty in an answer if the contact has no address.',
  orgName: 'The organisation that the person belongs to.',
  authInfo:
    'The password for a transfer: 22 random hexadecimal digits unless the registrar chose another.',
  statuses:
    'The statuses of RFC 5733: those that are set, or `ok` if none is, and `linked` if a domain refers to the contact.',
  statusNotes: 'Notes of the registry about statuses, by status.',
  disclosedAttributes: 'What of the contact is shown publicly.',
  legacyId: 'The id in the system that the contact was imported from: a number or text.',
  registrarId: 'The record id of the registrar.',
  creator: 'Who created it: `<id>-ApiUser: <username>`, or what an import said.',
  updater:
    'Who changed it last: `<id>-ApiUser: <username>`, or `RegistrantUser: <first and last name>`.',
  createdAt: 'When it was created.',
  updatedAt: 'When it was changed last.',
};

const forms: Partial<Record<ShownColumn, Record<string, unknown>>> = {
  email: { format: 'idn-email' },
  identCountryCode: { pattern: '^[A-Za-z]{2}$' },
  countryCode: { pattern: '^[A-Za-z]{2}$' },
};

for (const [column, { rule }] of contactColumns) {
  const fields = column as ShownColumn;
  if (rule) z.globalRegistry.add(rule(), { description: descriptions[fields], ...forms[fields] });
}

const statuses = z.string().meta({ examples: ['ok', 'linked', ...contactStatuses] });

const types: Partial<Record<keyof Contact, z.ZodType>> = {
  uuid: z.guid(),
  legacyId: z.union([z.int(), z.string()]),
  createdAt: instantType(),
  updatedAt: instantType(),
  statusNotes: z.record(z.string(), z.string()),
  identType: z.string().meta({ examples: [...identityTypes] }),
  disclosedAttributes: z.array(z.string().meta({ examples: [...discloseableAttributes] })),
};

const columns = getTableColumns(contacts);

function storedType(column: keyof Contact): z.ZodType {
  const { dataType, enumValues } = columns[column];
  if (types[column]) return types[column];
  if (dataType === 'number') return z.int();
  return enumValues ? z.enum(enumValues as [string, ...string[]]) : z.string();
}

/** An unknown value is null, or blank in some fields. */
function contactOfTypes(isBlank: (field: ContactField) => boolean): Contact {
  const fields = contactColumns.map(([column, field]) => {
    const isNullable = !columns[column].notNull && !isBlank(field);
    const type = isNullable ? storedType(column).nullable() : storedType(column);
    return [column, type.meta({ description: descriptions[column as ShownColumn] })];
  });
  return { ...Object.fromEntries(fields), statuses: [statuses], domainCount: 0 };
}

function answerType(shape: Record<string, unknown>): z.ZodObject {
  return z.object(
    Object.fromEntries(Object.entries(shape).map(([name, value]) => [name, valueType(value)])),
  );
}

function valueType(value: unknown): z.ZodType {
  if (value instanceof z.ZodType) return value;
  if (!Array.isArray(value)) return answerType(value as Record<string, unknown>);
  return z.array(value[0]).min(1).meta({ description: descriptions.statuses });
}

const description =
  'A value that was taken over from a former registry may lack the form that a creation requires; it may be any text.';

const registrarShape = answerType(
  registrarRepresentation(contactOfTypes(({ blank }) => blank === '')),
);

const registrarDescription = `${description} Unknown parts of the address are empty strings, except \`state\`.`;

export const listedRegistrarContact = registrarShape.meta({
  id: 'ListedRegistrarContact',
  description: registrarDescription,
});

export const claimType = z.enum(claims).meta({
  description:
    'What was checked: the identity code with its type and country (and with a birthday, the ' +
    'name), the name, the email address, the phone number, or the address. A change of it ends ' +
    'the verification.',
});

export const demandType = z.object({ claims: z.array(claimType), by: z.iso.date() });

const verificationShape = {
  verifications: z
    .array(
      z.object({
        id: z.string(),
        claim: claimType,
        method: z.string(),
        framework: z.string().nullable(),
        reference: z.string().nullable(),
        result: z.enum(['success', 'failed']),
        verified_at: instantType(),
        verified_by: z.string().nullable().meta({
          description:
            'Who checked, in the form of `creator_str`; null where a former registry or registrar did not say.',
        }),
      }),
    )
    .describe('The newest check of each claim whose value has not changed since.'),
  verification_demand: demandType
    .nullable()
    .describe(
      'What the registry asks to be verified, and until which day; null while all of it is verified. ' +
        'Until that day, it is asked again when a check of it is withdrawn, fails or ends.',
    ),
  ident_request_sent_at: instantType()
    .nullable()
    .describe('When the identity service was last asked about the contact.'),
  verified_at: instantType().nullable().describe('Since when the identity is verified.'),
  verification_id: z.string().nullable().describe('The identity service’s id of the last request.'),
  verification_pending_at: instantType().nullable().meta({
    description:
      'Since when a decision is awaited, because the identity service identified somebody other than the contact names.',
  }),
};

export const registrarContact = registrarShape
  .extend({
    ...verificationShape,
    verification_pending: z
      .object({
        country_code: z.string().nullable(),
        ident: z.string().nullable(),
        name: z.string().nullable(),
        birthdate: z.string().nullable(),
      })
      .nullable()
      .meta({
        description:
          'The identity that the identity service has established and that waits for a ' +
          'decision; null where nothing waits, and each part where it is not established.',
      }),
  })
  .meta({ id: 'RegistrarContact', description: registrarDescription });

const typesForRegistrants = contactOfTypes(({ registrant }) => registrant !== null);

const registrantShape = answerType(registrantRepresentation(typesForRegistrants));

export const registrantContact = registrantShape.meta({ id: 'RegistrantContact', description });

export const listedRegistrantContact = registrantShape
  .omit({ disclosed_attributes: true })
  .meta({ id: 'ListedRegistrantContact', description });

export const personalContact = answerType(personalRepresentation(typesForRegistrants)).extend(
  verificationShape,
);

const change = z.union([
  z.object({ from: z.unknown(), to: z.unknown() }),
  z.object({ redacted: z.literal(true) }).describe('It changed; its value is secret.'),
  z
    .object({ removed: z.literal(true) })
    .describe('It changed; its value was personal and has been removed since.'),
]);

export const historyEntryType = named('HistoryEntry', {
  at: instantType(),
  action: z.enum(history.action.enumValues),
  by: z.string().describe('Who acted, in the form of `creator_str`.'),
  request_id: z.string().nullable().describe('The `X-Request-Id` of the request.'),
  client_reference: z.string().nullable().describe('The client’s own reference, if it sent one.'),
  changes: z
    .record(z.string(), change)
    .describe('What changed, by field: `from` is null in a creation, `to` in a deletion.'),
});
