import * as z from 'zod';
import { contactRules } from '../../../contact/rules.ts';
import {
  demandType,
  historyEntryType,
  listedRegistrarContact,
  registrarContact,
} from '../openapi/contact-answer.openapi.ts';
import { describe, named } from '../openapi/describe.ts';
import { boundedPageQuery } from '../openapi/paging.openapi.ts';
import { contactCheckBody, createBody, listQuery, updateBody, validateBody } from './contacts.ts';
import { envelope, registrarCalls, registrarProblem } from './interface.openapi.ts';

describe(listQuery().shape, {
  details: 'Whether to list whole contacts, not only codes.',
  ident:
    'Lists only contacts with this identity code, with or without its country before it (`EE 38001085718`, `PNOEE-38001085718`); letters and digits are compared, and the `+` of a Swedish or Finnish code (write it as `%2B`).',
  ident_country_code:
    'Lists only contacts with an identity code of this country (ISO 3166-1 alpha-2).',
  email:
    'Lists only contacts with this mailbox, without regard to case; its domain may be in Unicode or punycode. `mailto:` and a name before it are ignored.',
  name:
    'Lists only contacts whose name begins with this. Case, accents, compatibility forms (`ﾔﾏ`, `ﬁ`), ' +
    'what can’t be seen, repeated blanks, and the kind of apostrophe, dash, quotation mark and blank ' +
    'are ignored. A contact that is renamed while you follow the links may be missed.',
  status: 'Lists only contacts that show this status.',
  verified: 'Lists only contacts whose identity is not verified.',
  demand:
    'Lists only contacts of which the registry still asks to verify something, by the last day and ' +
    'the record id. With `details=true`, `demand` has what it asks.',
  updated_since: {
    description:
      'Lists only contacts that were created or updated at this time (ISO 8601; UTC without an ' +
      'offset) or later, in the order of `updated_at` unless `ident` or `email` is given. What is ' +
      'changed afterwards comes later in this order, so whoever follows the links misses no change.',
    override: { anyOf: undefined, type: 'string' },
  },
});
describe(
  { code: contactRules.code() },
  {
    code:
      'The part of the code after the registrar’s prefix, which may stand before it. The whole ' +
      'code has at most 100 characters and is stored in upper case. If it is left out, eight ' +
      'hexadecimal digits are drawn.',
  },
);

/** Responses have the code alone, with the rest of the identity beside it. */
for (const { shape } of [createBody().shape.contact, updateBody().shape.contact]) {
  const { ident } = shape as Record<string, z.core.$ZodType>;
  z.globalRegistry.add(ident!, {
    override: ({ jsonSchema }) => {
      const { ...inGroup } = jsonSchema;
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
      const beside = 'The code alone, with `ident_type` and `ident_country_code` beside it.';
      jsonSchema.anyOf = [inGroup, { type: 'string', description: beside }];
    },
  });
}

const onlyId = z.object({ id: z.string() });
const written = envelope('WrittenContactAnswer', z.object({ contact: onlyId }));
const verdict = named('ContactVerdict', {
  valid: z.boolean(),
  errors: z
    .array(registrarProblem)
    .describe('Everything that a creation would be refused with; none if the contact is valid.'),
});
const page = named('ContactListAnswer', {
  contacts: z.union([
    z.array(z.string()),
    z.array(listedRegistrarContact.extend({ demand: demandType.optional() })),
  ]),
  total_number_of_records: z
    .int()
    .nonnegative()
    .nullable()
    .meta({
      description:
        'How many contacts the registrar has. In a search, how many contacts it finds if they are ' +
        'all on this page, and otherwise null.',
    }),
});
const checkedId = named('CheckedContactId', {
  asked: z.unknown().describe('The id as it was sent.'),
  id: z.string().nullable().describe('The whole code that a creation would give.'),
  available: z.boolean(),
  reason: z.string().nullable().describe('Why it is not available.'),
});
const checked = z.object({ contact: onlyId.extend({ available: z.boolean() }) });

export const emptyAnswer = envelope('EmptyAnswer', z.object({}));

const conditional = ['If-Match', 'If-None-Match'] as const;
export const writeHeaders = ['Idempotency-Key', ...conditional] as const;

export const contactPaths = registrarCalls('Registrar: contacts')({
  'GET /repp/v1/contacts': {
    operationId: 'listContacts',
    summary: 'List contacts',
    description:
      'The registrar’s own contacts, ordered by record id. Filters are joined by “and”. The first ' +
      'of `demand`, `ident`, `email`, `updated_since`, a stored `status` and `name` decides the order of a ' +
      'search: by the last day of the demand, by `updated_at`, by name, or by record id. A page of a search may be short, or ' +
      'empty: follow `Link` until there is none. A search has no `offset` (2004).',
    query: listQuery(),
    success: 'A page of codes, or of contacts with `details=true`.',
    answer: page,
  },
  'POST /repp/v1/contacts': {
    operationId: 'createContact',
    summary: 'Create a contact',
    takes: ['Idempotency-Key'],
    body: createBody().check(z.meta({ id: 'ContactCreation' })),
    success: 'The contact’s code, and its version in `ETag`.',
    headers: ['ETag'],
    answer: written,
    refusals: ['identity_invalid', 'taken'],
  },
  'POST /repp/v1/contacts/validate': {
    operationId: 'validateContacts',
    onlyReads: true,
    summary: 'Validate contacts',
    description:
      'Judges each contact as a creation would, one after the other in the order given, and ' +
      'stores nothing. So an id is taken if a contact has it, or a valid one earlier in the ' +
      'list. Any contact of `ContactCreation` may stand in the list; what is wrong with it is ' +
      'in its result.',
    body: validateBody().check(z.meta({ id: 'ContactValidation' })),
    success: 'The results, in the order given.',
    answer: envelope('ContactValidationAnswer', z.object({ results: z.array(verdict) })),
    refusals: ['out_of_range'],
  },
  'GET /repp/v1/contacts/check/{code}': {
    operationId: 'checkContact',
    summary: 'Check whether an id is free',
    description:
      'Returns the whole code of a contact that is created with this id, and whether it is free.',
    path: {
      code: z.string().meta({
        description: 'The id, with or without the registrar’s prefix.',
        param: { example: 'KUUSK' },
      }),
    },
    success: 'The whole code, and whether it is free.',
    answer: envelope('ContactCheckAnswer', checked),
  },
  'POST /repp/v1/contacts/check': {
    operationId: 'checkContacts',
    onlyReads: true,
    summary: 'Check whether ids are free',
    description:
      'Judges each id as a creation would. A malformed id is not available, and has no whole ' +
      'code. The call counts as one request and a tenth of the ids.',
    body: contactCheckBody().check(z.meta({ id: 'ContactCheck' })),
    success: 'The results, in the order given.',
    answer: envelope('ContactChecksAnswer', z.object({ results: z.array(checkedId) })),
    refusals: ['out_of_range'],
  },
  'GET /repp/v1/contacts/{code}': {
    operationId: 'getContact',
    summary: 'Read a contact',
    takes: conditional,
    success: 'The contact, and its version in `ETag`.',
    answer: envelope('ContactAnswer', z.object({ contact: registrarContact })),
    refusals: ['not_found'],
  },
  'PUT /repp/v1/contacts/{code}': {
    operationId: 'updateContact',
    summary: 'Update a contact',
    description:
      'Fields that are not given stay as they are. `addr` is merged part by part; `"addr": ' +
      'null` clears all of it. Null or the empty string clears an optional field; clearing ' +
      '`auth_info` draws a new value. `ident` may be given if it is the one on record. A ' +
      'contact may be sent back in the form in which it is read. A value equal to the one on ' +
      'record is no change and is not judged, even if it lacks the form given here. Statuses stay as ' +
      'they are: `statuses` may have those on record, `ok` and `linked`; any other gets 2306.',
    takes: writeHeaders,
    body: updateBody().check(z.meta({ id: 'ContactUpdate' })),
    success: 'The contact’s code, and its new version in `ETag`.',
    answer: written,
    refusals: ['not_found', 'update_prohibited', 'identity_change', 'status_change'],
  },
  'DELETE /repp/v1/contacts/{code}': {
    operationId: 'deleteContact',
    summary: 'Delete a contact',
    takes: writeHeaders,
    success: 'It is deleted.',
    headers: [],
    answer: emptyAnswer,
    refusals: ['not_found', 'linked', 'delete_prohibited'],
  },
  'GET /repp/v1/contacts/{code}/history': {
    operationId: 'listContactHistory',
    summary: 'List what happened to a contact',
    description: 'The newest change first; also after the contact’s deletion.',
    query: boundedPageQuery(),
    success: 'A page of the history.',
    answer: envelope('ContactHistoryAnswer', z.object({ history: z.array(historyEntryType) })),
    refusals: ['not_found'],
  },
});
