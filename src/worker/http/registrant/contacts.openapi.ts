import * as z from 'zod';
import { json } from '../openapi/call.ts';
import {
  historyEntryType,
  listedRegistrantContact,
  registrantContact,
} from '../openapi/contact-answer.openapi.ts';
import { named } from '../openapi/describe.ts';
import { boundedPageQuery, pageQuery } from '../openapi/paging.openapi.ts';
import { patchBody } from './contacts.ts';
import { registrantCalls } from './interface.openapi.ts';

const contactList = z.union([
  z.object({ contacts: z.array(listedRegistrantContact) }),
  z
    .array(listedRegistrantContact)
    .describe('The bare array, if the operator has set the list’s form to `array`.'),
]);

const update = patchBody().check(z.meta({ id: 'RegistrantContactUpdate' }));

export const registrantContactPaths = registrantCalls({
  'GET /api/v1/registrant/contacts': {
    operationId: 'listContactsOfPerson',
    summary: 'List the person’s contacts',
    description: 'At every registrar, ordered by record id.',
    query: pageQuery(),
    success: 'A page of contacts. Unknown values are empty strings.',
    answer: contactList,
  },
  'GET /api/v1/registrant/contacts/{uuid}': {
    operationId: 'getContactOfPerson',
    summary: 'Read a contact',
    takes: ['If-Match', 'If-None-Match'],
    success: 'The contact, and its version in `ETag`. Unknown values are empty strings.',
    answer: registrantContact,
    refusals: ['not_found'],
  },
  'PATCH /api/v1/registrant/contacts/{uuid}': {
    operationId: 'updateContactOfPerson',
    summary: 'Update a contact',
    description:
      'Fields that are not given stay as they are. `address` is merged part by part; `"address": null` clears all of it. Null or the empty string clears `fax` and the parts of the address. In a form, `address[street]=…` and `disclosed_attributes[]=name`. A value equal to the one on record is no change and is not judged, even if it lacks the form given here.',
    takes: ['Idempotency-Key', 'If-Match', 'If-None-Match'],
    body: {
      required: true,
      content: {
        ...json(update).content,
        'application/x-www-form-urlencoded': {
          schema: update,
          encoding: { address: { style: 'deepObject', explode: true } },
        },
      },
    },
    success: 'The contact as it is now, and its new version in `ETag`.',
    answer: registrantContact,
    refusals: ['missing', 'not_found', 'update_prohibited'],
  },
  'GET /api/v1/registrant/contacts/{uuid}/history': {
    operationId: 'listHistoryOfPerson',
    summary: 'List what happened to a contact',
    description: 'The newest change first.',
    query: boundedPageQuery(),
    success: 'A page of the history.',
    answer: named('HistoryAnswer', { history: z.array(historyEntryType) }),
    refusals: ['not_found'],
  },
});
