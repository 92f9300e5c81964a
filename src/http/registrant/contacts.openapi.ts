import * as z from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import {
  historyEntryType,
  listedRegistrantContact,
  registrantContact,
} from '../contact-answer.openapi.ts';
import { pageQuery } from '../paging.openapi.ts';
import { patchBody } from './contacts.ts';
import { registrantCall as call } from './interface.openapi.ts';

/** Of the demo data. */
const contactUuid = 'c0000000-0000-4000-8000-000000000001';

const uuid = z.string().meta({
  description: 'The contact’s UUID, in either case.',
  param: { id: 'ContactUuid', example: contactUuid },
});

const contactList = z.union([
  z.object({ contacts: z.array(listedRegistrantContact) }),
  z.array(listedRegistrantContact).meta({
    description: 'The bare array, if the operator has set the list’s form to `array`.',
  }),
]);

const update = patchBody().meta({ id: 'RegistrantContactUpdate' });

export const registrantContactPaths: ZodOpenApiPathsObject = {
  '/api/v1/registrant/contacts': {
    get: call({
      operationId: 'listContactsOfPerson',
      summary: 'List the person’s contacts',
      description: 'At every registrar, ordered by record id.',
      query: pageQuery(),
      examples: {
        first: { summary: 'The first contact', given: { limit: 1 } },
        stranger: { summary: 'No token', isAnonymous: true, status: 401 },
      },
      success: {
        description: 'A page of contacts. Unknown values are empty strings.',
        headers: ['Link'],
        schema: contactList,
      },
      refusals: ['out_of_range'],
    }),
  },
  '/api/v1/registrant/contacts/{uuid}': {
    get: call({
      operationId: 'getContactOfPerson',
      summary: 'Read a contact',
      path: z.object({ uuid }),
      examples: {
        contact: { summary: 'A contact', given: { uuid: contactUuid } },
      },
      success: {
        description: 'The contact, and its version in `ETag`. Unknown values are empty strings.',
        headers: ['ETag'],
        schema: registrantContact,
      },
      refusals: ['not_found'],
    }),
    patch: call({
      operationId: 'updateContactOfPerson',
      summary: 'Update a contact',
      description:
        'Fields that are not given stay as they are. `address` is merged part by part; `"address": null` clears all of it. Null or the empty string clears `fax` and the parts of the address. In a form, `address[street]=…` and `disclosed_attributes[]=name`.',
      parameters: ['Idempotency-Key', 'If-Match'],
      path: z.object({ uuid }),
      body: {
        required: true,
        content: {
          'application/json': { schema: update },
          'application/x-www-form-urlencoded': {
            schema: update,
            encoding: { address: { style: 'deepObject', explode: true } },
          },
        },
      },
      examples: {
        moved: {
          summary: 'Another street',
          given: { uuid: contactUuid },
          body: { address: { street: 'Telliskivi 62' } },
        },
        invalid: {
          summary: 'Everything that is wrong at once',
          given: { uuid: contactUuid },
          body: { email: 'no', address: { country_code: 'XX' } },
          status: 400,
        },
      },
      success: {
        description: 'The contact as it is now, and its new version in `ETag`.',
        headers: ['ETag', 'Ignored-Fields', 'Idempotent-Replayed'],
        schema: registrantContact,
      },
      refusals: [
        'malformed',
        'missing',
        'key_reused',
        'not_found',
        'update_prohibited',
        'changed_meanwhile',
      ],
    }),
  },
  '/api/v1/registrant/contacts/{uuid}/history': {
    get: call({
      operationId: 'listHistoryOfPerson',
      summary: 'List what happened to a contact',
      description: 'The newest change first.',
      path: z.object({ uuid }),
      query: pageQuery(),
      examples: {
        newest: {
          summary: 'The newest change',
          given: { uuid: contactUuid, limit: 1 },
          after: 'updateContactOfPerson',
        },
      },
      success: {
        description: 'A page of the history.',
        headers: ['Link'],
        schema: z.object({ history: z.array(historyEntryType) }).meta({ id: 'HistoryAnswer' }),
      },
      refusals: ['out_of_range', 'not_found'],
    }),
  },
};
