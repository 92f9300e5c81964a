import * as z from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { contactRules } from '../../contact/rules.ts';
import {
  historyEntryType,
  listedRegistrarContact,
  registrarContact,
} from '../contact-answer.openapi.ts';
import { requiredBody } from '../openapi/call.ts';
import { boundedPageQuery } from '../paging.openapi.ts';
import { createBody, listQuery, updateBody, validateBody } from './contacts.ts';
import { envelope, registrarCalls, registrarProblem } from './interface.openapi.ts';

const call = registrarCalls('Registrar: contacts');

const { details, ident, ident_country_code, email, name, status, verified, updated_since } =
  listQuery().shape;

z.globalRegistry
  .add(details, { description: 'Whether to list whole contacts, not only codes.' })
  .add(ident, {
    description: 'Lists only contacts with this identity code; letters and digits are compared.',
  })
  .add(ident_country_code, {
    description: 'Lists only contacts with an identity code of this country (ISO 3166-1 alpha-2).',
  })
  .add(email, {
    description: 'Lists only contacts with this email address, without regard to case.',
  })
  .add(name, {
    description:
      'Lists only contacts whose name begins with this, without regard to case or to spaces around it: at least two characters.',
  })
  .add(status, { description: 'Lists only contacts that show this status.' })
  .add(verified, { description: 'Lists only contacts whose identity is not verified.' })
  .add(updated_since, {
    description:
      'Lists only contacts that were created or updated at this time (ISO 8601; UTC without an offset) or later, in the order of `updated_at`. What is changed afterwards comes later in this order, so whoever follows the links misses no change.',
    override: { anyOf: undefined, type: 'string' },
  })
  .add(contactRules.code(), {
    description:
      'The part of the code after the registrar’s prefix, which may stand before it. The whole code has at most 100 characters and is stored in upper case. If it is left out, eight hexadecimal digits are drawn.',
  });

/** Answers show the code alone, with the rest of the identity beside it. */
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

export const codeInPath = z.string().meta({
  description: 'The contact’s code, in either case.',
  param: { id: 'ContactCode', example: 'ALPHA:TAMM' },
});

const written = envelope(
  'WrittenContactAnswer',
  z.object({ contact: z.object({ id: z.string() }) }),
);
const verdict = z
  .object({
    valid: z.boolean(),
    errors: z.array(registrarProblem).meta({
      description:
        'Everything that a creation would be refused with; none if the contact is valid.',
    }),
  })
  .meta({ id: 'ContactVerdict' });
const conditional = ['If-Match', 'If-None-Match'] as const;
export const writeParameters = ['Idempotency-Key', ...conditional] as const;

export const emptyAnswer = envelope('EmptyAnswer', z.object({}));

export const contactPaths: ZodOpenApiPathsObject = {
  '/repp/v1/contacts': {
    get: call({
      operationId: 'listContacts',
      summary: 'List contacts',
      description:
        'The registrar’s own contacts, ordered by record id. Filters are joined by “and”. A page of a search may be short, or empty: follow `Link` until there is none. In a search, `offset` and `limit` together are at most 10,000, and where a page may be short, any `offset` may be too far (2004).',
      query: listQuery(),
      success: {
        description: 'A page of codes, or of contacts with `details=true`.',
        schema: z
          .object({
            contacts: z.union([z.array(z.string()), z.array(listedRegistrarContact)]),
            total_number_of_records: z.int().nonnegative().meta({
              description:
                'How many contacts the registrar has, or how many of them the search finds, the same on every page: 10,000 means at least as many, or, with `status` or several filters, that they were not counted.',
            }),
          })
          .meta({ id: 'ContactListAnswer' }),
      },
    }),
    post: call({
      operationId: 'createContact',
      summary: 'Create a contact',
      parameters: ['Idempotency-Key'],
      body: requiredBody(createBody().check(z.meta({ id: 'ContactCreation' }))),
      success: {
        description: 'The contact’s code, and its version in `ETag`.',
        headers: ['ETag'],
        schema: written,
      },
      refusals: ['identity_invalid', 'taken'],
    }),
  },
  '/repp/v1/contacts/validate': {
    post: call({
      operationId: 'validateContacts',
      summary: 'Validate contacts',
      description:
        'Judges each contact as a creation would, one after the other in the order given, and stores nothing. So an id is taken if a contact has it, or a valid one earlier in the list. Any contact of `ContactCreation` may stand in the list; what is wrong with it is in its result.',
      body: requiredBody(validateBody().check(z.meta({ id: 'ContactValidation' }))),
      success: {
        description: 'The results, in the order given.',
        schema: envelope('ContactValidationAnswer', z.object({ results: z.array(verdict) })),
      },
      refusals: ['out_of_range'],
    }),
  },
  '/repp/v1/contacts/check/{code}': {
    get: call({
      operationId: 'checkContact',
      summary: 'Check whether an id is free',
      description:
        'Answers about the contact that a creation with this id would make, so it names the whole code.',
      path: z.object({
        code: z.string().meta({
          description: 'The id, with or without the registrar’s prefix.',
          param: { example: 'KUUSK' },
        }),
      }),
      success: {
        description: 'The whole code, and whether it is free.',
        schema: envelope(
          'ContactCheckAnswer',
          z.object({ contact: z.object({ id: z.string(), available: z.boolean() }) }),
        ),
      },
    }),
  },
  '/repp/v1/contacts/{code}': {
    get: call({
      operationId: 'getContact',
      summary: 'Read a contact',
      parameters: conditional,
      path: z.object({ code: codeInPath }),
      success: {
        description: 'The contact, and its version in `ETag`.',
        headers: ['ETag'],
        schema: envelope('ContactAnswer', z.object({ contact: registrarContact })),
      },
      refusals: ['not_found'],
    }),
    put: call({
      operationId: 'updateContact',
      summary: 'Update a contact',
      description:
        'Fields that are not given stay as they are. `addr` is merged part by part; `"addr": null` clears all of it. Null or the empty string clears an optional field; clearing `auth_info` draws a new value. `ident` may be given if it is the one on record. A contact may be sent back in the form in which it is read. A value equal to the one on record is no change and is not judged, even if it lacks the form given here.',
      parameters: writeParameters,
      path: z.object({ code: codeInPath }),
      body: requiredBody(updateBody().check(z.meta({ id: 'ContactUpdate' }))),
      success: {
        description: 'The contact’s code, and its new version in `ETag`.',
        headers: ['ETag'],
        schema: written,
      },
      refusals: ['not_found', 'update_prohibited', 'identity_change'],
    }),
    delete: call({
      operationId: 'deleteContact',
      summary: 'Delete a contact',
      parameters: writeParameters,
      path: z.object({ code: codeInPath }),
      success: {
        description: 'It is deleted.',
        schema: emptyAnswer,
      },
      refusals: ['not_found', 'linked', 'delete_prohibited'],
    }),
  },
  '/repp/v1/contacts/{code}/history': {
    get: call({
      operationId: 'listContactHistory',
      summary: 'List what happened to a contact',
      description: 'The newest change first; also after the contact’s deletion.',
      path: z.object({ code: codeInPath }),
      query: boundedPageQuery(),
      success: {
        description: 'A page of the history.',
        schema: envelope('ContactHistoryAnswer', z.object({ history: z.array(historyEntryType) })),
      },
      refusals: ['not_found'],
    }),
  },
};
