import * as z from 'zod';
import { domainRoles } from '../../../../drizzle/schema.ts';
import { discloseableFields } from '../../../contact/operator/disclosure/read.ts';
import { shownWith } from '../openapi/answer.openapi.ts';
import { callsOf, json } from '../openapi/call.ts';
import {
  historyEntryType,
  listedRegistrantContact,
  personalContact,
  registrantContact,
} from '../openapi/contact-answer.openapi.ts';
import { instantType, named, parameter } from '../openapi/describe.ts';
import { boundedPageQuery, pageQuery } from '../openapi/paging.openapi.ts';
import type { Interface } from '../openapi/refusal.ts';
import { messages } from './answer.ts';
import { patchBody } from './contacts.ts';
import { eidBody } from './token.ts';

const registrants = {
  name: 'Registrant',
  tag: 'Registrant',
  security: [{ bearer: [] }],
  refusals: ['invalid', 'unauthorized', 'too_large', 'coded', 'throttled'],
  show: shownWith(messages),
  typical: {
    invalid: { message: 'Bookmark is invalid', field: 'X-D1-Bookmark' },
    not_found: { message: 'Contact not found' },
    address_denied: { message: 'Not authorized' },
  },
  headers: ['X-Client-Transaction-Id', 'RPP-Cltrid', 'X-D1-Bookmark'],
  path: {
    uuid: parameter(
      'ContactUuid',
      'The contact’s UUID, in either case.',
      'c0000000-0000-4000-8000-000000000001',
    ),
  },
} satisfies Interface;

const { ident, first_name, last_name, country_code } = eidBody().shape;
const body = named('TokenRequest', {
  ident: ident.check(
    z.meta({
      description: 'The national identity code, without its country: of Estonia, eleven digits.',
    }),
  ),
  first_name: first_name.check(z.meta({ description: 'The person’s first name.' })),
  last_name: last_name.check(z.meta({ description: 'The person’s last name.' })),
  country_code: country_code.check(
    z.meta({
      description: `The country of the code (ISO 3166-1 alpha-2), in either case; \`${country_code.def.defaultValue}\` if it is left out.`,
      pattern: '^[A-Za-z]{2}$',
      // Client generators treat a field with a default as always present.
      override: { default: undefined },
    }),
  ),
});

const portal = callsOf({
  ...registrants,
  name: 'Token',
  security: [],
  refusals: ['invalid', 'address_denied', 'too_large', 'coded', 'throttled'],
  headers: ['X-Client-Transaction-Id', 'RPP-Cltrid'],
});

const contactList = z.union([
  z.object({ contacts: z.array(listedRegistrantContact) }),
  z
    .array(listedRegistrantContact)
    .describe('The bare array, if the operator has set the list’s form to `array`.'),
]);

const update = patchBody().check(z.meta({ id: 'RegistrantContactUpdate' }));

const personalDisclosureType = named('Disclosure', {
  contact: z.string().describe('The code that the contact had.'),
  organization: z.string().describe('The organisation that asked.'),
  basis: z.string().describe('The legitimate interest or the law that it named.'),
  fields: z
    .array(z.enum(discloseableFields))
    .describe('What was disclosed, by the names that registrars know.'),
  granted_at: instantType(),
});

const history = z.array(historyEntryType).describe('The oldest change first.');

const exported = named('PersonalExport', {
  exported_at: instantType(),
  person: z.object({
    ident: z.object({ code: z.string(), type: z.literal('priv'), country_code: z.string() }),
  }),
  contacts: z.array(
    personalContact
      .extend({
        registrar: z.object({ code: z.string(), name: z.string() }),
        domains: z
          .array(z.object({ name: z.string(), role: z.enum(domainRoles) }))
          .describe('The domains that refer to the contact.'),
        history,
      })
      .meta({ id: 'ExportedContact' }),
  ),
  deleted_contacts: z
    .array(z.object({ id: z.guid(), code: z.string(), history }))
    .describe('The contacts that were the person’s, as long as their history has values.'),
  disclosures: z
    .array(personalDisclosureType)
    .describe('To whom the person’s data was disclosed, as far as they may know.'),
});

export const registrantPaths = {
  ...portal({
    'POST /api/v1/registrant/auth/eid': {
      operationId: 'createToken',
      onlyReads: true,
      summary: 'Get a token for a person',
      description:
        'For the portal that has authenticated the person: only the addresses that the operator allows may call it, and no browser for a page of another site.',
      body,
      success: 'The token (a JWT), valid for two hours.',
      answer: named('Token', {
        access_token: z.string(),
        expires_at: instantType(),
        type: z.literal('Bearer'),
      }),
    },
  }),
  ...callsOf(registrants)({
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
        'Fields that are not given stay as they are. `address` is merged part by part; ' +
        '`"address": null` clears all of it. Null or the empty string clears `fax` and the ' +
        'parts of the address. In a form, `address[street]=…` and ' +
        '`disclosed_attributes[]=name`. A value equal to the one on record is no change and is ' +
        'not judged, even if it lacks the form given here.',
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
    'GET /api/v1/registrant/disclosures': {
      operationId: 'listDisclosuresOfPerson',
      summary: 'List to whom the person’s data was disclosed',
      description:
        'In the order of the requests. A disclosure belongs to the person whose data it was, ' +
        'whoever holds the contact now. One that law keeps from the person for a while, or for ' +
        'ever, is not shown.',
      query: pageQuery(),
      success: 'A page of disclosures.',
      answer: named('DisclosuresAnswer', { disclosures: z.array(personalDisclosureType) }),
    },
    'GET /api/v1/registrant/export': {
      operationId: 'exportPersonalData',
      summary: 'Export everything that is kept about the person',
      description:
        'At every registrar, history included. It is sent while it is read: a document that ends is complete.',
      success: 'The document.',
      answer: exported,
    },
  }),
};
