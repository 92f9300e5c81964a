import * as z from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { contactRules } from '../../contact/rules.ts';
import { historyEntryType, registrarContact } from '../contact-answer.openapi.ts';
import { requiredBody } from '../openapi/call.ts';
import { pageQuery } from '../paging.openapi.ts';
import { createBody, listQuery, updateBody, validateBody } from './contacts.ts';
import { envelope, registrarCalls, registrarProblem } from './interface.openapi.ts';

const call = registrarCalls('Registrar: contacts');

z.globalRegistry
  .add(listQuery().shape.details, {
    description: 'Whether to list whole contacts, not only codes.',
  })
  .add(contactRules.code(), {
    description:
      'The part of the code after the registrar’s prefix, which may stand before it. Drawn at random if it is left out.',
  });

const code = z.string().meta({
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
const writing = ['Idempotency-Key', 'If-Match'] as const;

export const contactPaths: ZodOpenApiPathsObject = {
  '/repp/v1/contacts': {
    get: call({
      operationId: 'listContacts',
      summary: 'List contacts',
      description: 'The registrar’s own contacts, ordered by record id.',
      query: listQuery(),
      success: {
        description: 'A page of codes, or of contacts with `details=true`.',
        schema: z
          .object({
            contacts: z.union([z.array(z.string()), z.array(registrarContact)]),
            total_number_of_records: z
              .int()
              .nonnegative()
              .meta({ description: 'How many contacts the registrar has.' }),
          })
          .meta({ id: 'ContactListAnswer' }),
      },
    }),
    post: call({
      operationId: 'createContact',
      summary: 'Create a contact',
      parameters: ['Idempotency-Key'],
      body: requiredBody(createBody().meta({ id: 'ContactCreation' })),
      success: {
        description: 'The contact’s code, and its version in `ETag`.',
        headers: ['ETag'],
        schema: written,
      },
      refusals: ['missing', 'identity_invalid', 'taken'],
    }),
  },
  '/repp/v1/contacts/validate': {
    post: call({
      operationId: 'validateContacts',
      summary: 'Validate contacts',
      description:
        'Judges each contact as a creation would, one after the other in the order given, and stores nothing. So an id is taken if a contact has it, or a valid one earlier in the list. Any contact of `ContactCreation` may stand in the list; what is wrong with it is in its result.',
      body: requiredBody(validateBody().meta({ id: 'ContactValidation' })),
      success: {
        description: 'The results, in the order given.',
        schema: envelope('ContactValidationAnswer', z.object({ results: z.array(verdict) })),
      },
      refusals: ['missing', 'out_of_range'],
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
      path: z.object({ code }),
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
        'Fields that are not given stay as they are. `addr` is merged part by part; `"addr": null` clears all of it. Null or the empty string clears an optional field; clearing `auth_info` draws a new value. `ident` may be given if it is the one on record. A value equal to the one on record is no change and is not judged, even if it lacks the form given here.',
      parameters: writing,
      path: z.object({ code }),
      body: requiredBody(updateBody().meta({ id: 'ContactUpdate' })),
      success: {
        description: 'The contact’s code, and its new version in `ETag`.',
        headers: ['ETag'],
        schema: written,
      },
      refusals: ['missing', 'not_found', 'update_prohibited', 'identity_change'],
    }),
    delete: call({
      operationId: 'deleteContact',
      summary: 'Delete a contact',
      parameters: writing,
      path: z.object({ code }),
      success: {
        description: 'It is deleted.',
        schema: envelope('EmptyAnswer', z.object({})),
      },
      refusals: ['not_found', 'linked', 'delete_prohibited'],
    }),
  },
  '/repp/v1/contacts/{code}/history': {
    get: call({
      operationId: 'listContactHistory',
      summary: 'List what happened to a contact',
      description: 'The newest change first; also after the contact’s deletion.',
      path: z.object({ code }),
      query: pageQuery(),
      success: {
        description: 'A page of the history.',
        schema: envelope('ContactHistoryAnswer', z.object({ history: z.array(historyEntryType) })),
      },
      refusals: ['not_found'],
    }),
  },
};
