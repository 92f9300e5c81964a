import * as z from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import {
  historyEntryType,
  listedRegistrantContact,
  registrantContact,
} from '../contact-answer.openapi.ts';
import { boundedPageQuery, pageQuery } from '../paging.openapi.ts';
import { patchBody } from './contacts.ts';
import { registrantCall as call } from './interface.openapi.ts';

const uuid = z.string().meta({
  description: 'The contact’s UUID, in either case.',
  param: { id: 'ContactUuid', example: 'c0000000-0000-4000-8000-000000000001' },
});

const contactList = z.union([
  z.object({ contacts: z.array(listedRegistrantContact) }),
  z.array(listedRegistrantContact).meta({
    description: 'The bare array, if the operator has set the list’s form to `array`.',
  }),
]);

const update = patchBody().check(z.meta({ id: 'RegistrantContactUpdate' }));

export const registrantContactPaths: ZodOpenApiPathsObject = {
  '/api/v1/registrant/contacts': {
    get: call({
      operationId: 'listContactsOfPerson',
      summary: 'List the person’s contacts',
      description: 'At every registrar, ordered by record id.',
      query: pageQuery(),
      success: {
        description: 'A page of contacts. Unknown values are empty strings.',
        schema: contactList,
      },
    }),
  },
  '/api/v1/registrant/contacts/{uuid}': {
    get: call({
      operationId: 'getContactOfPerson',
      summary: 'Read a contact',
      parameters: ['If-Match', 'If-None-Match'],
      path: z.object({ uuid }),
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
        'Fields that are not given stay as they are. `address` is merged part by part; `"address": null` clears all of it. Null or the empty string clears `fax` and the parts of the address. In a form, `address[street]=…` and `disclosed_attributes[]=name`. A value equal to the one on record is no change and is not judged, even if it lacks the form given here.',
      parameters: ['Idempotency-Key', 'If-Match', 'If-None-Match'],
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
      success: {
        description: 'The contact as it is now, and its new version in `ETag`.',
        headers: ['ETag'],
        schema: registrantContact,
      },
      refusals: ['missing', 'not_found', 'update_prohibited'],
    }),
  },
  '/api/v1/registrant/contacts/{uuid}/history': {
    get: call({
      operationId: 'listHistoryOfPerson',
      summary: 'List what happened to a contact',
      description: 'The newest change first.',
      path: z.object({ uuid }),
      query: boundedPageQuery(),
      success: {
        description: 'A page of the history.',
        schema: z.object({ history: z.array(historyEntryType) }).meta({ id: 'HistoryAnswer' }),
      },
      refusals: ['not_found'],
    }),
  },
};
