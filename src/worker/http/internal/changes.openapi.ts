import * as z from 'zod';
import { history } from '../../../../drizzle/schema.ts';
import { followedSubjects } from '../../../change/history/follow.ts';
import { registrarContact } from '../openapi/contact-answer.openapi.ts';
import { describe, instantType, named } from '../openapi/describe.ts';
import { changesQuery } from './changes.ts';
import { internalCalls } from './interface.openapi.ts';

describe(changesQuery().shape, {
  limit: 'How many changes the page has at most; 0 asks only for the `after` of now.',
  after: {
    description:
      'The `after` of the page before: opaque. If it is left out, the page begins with the first change of all.',
    // The value is opaque.
    override: { pattern: undefined },
  },
});

const change = named('Change', {
  id: z.int(),
  at: instantType(),
  subject: z.enum(followedSubjects),
  key: z.string().describe('The code of a contact, or a name.'),
  uuid: z.string().nullable().describe('Of a contact or an auction.'),
  registrar: z.string().nullable().meta({
    description: 'The code of the registrar of a contact or a domain, if it is known.',
  }),
  action: z.enum(history.action.enumValues),
  by: z.string().describe('Who acted, in the form of `creator_str`.'),
  request_id: z.string().nullable(),
  fields: z.array(z.string()).meta({
    description:
      'What changed, with the names of the other calls: a contact’s as registrars know them. Values are read with those calls.',
  }),
});

const page = named('ChangesPage', {
  changes: z.array(change),
  after: z.string().describe('For the next page.'),
  more: z
    .boolean()
    .describe('Whether to ask for the next page now; a page may be empty all the same.'),
});

const contact = named('InternalContact', {
  contact: registrarContact,
  registrar: z.string().describe('The registrar’s code.'),
});

export const internalChangesPaths = internalCalls('changes')({
  'GET /api/v1/internal/changes': {
    operationId: 'listChanges',
    summary: 'Follow the changes of contacts, auctions, retained names, disputes and domains',
    description:
      'To begin, take the `after` that `limit=0` gives, fetch everything, and follow from ' +
      'there; after a 410, begin again. Nobody who does misses a change or sees one twice.',
    query: changesQuery(),
    success: 'The changes, in the order in which they took effect.',
    answer: page,
    refusals: ['gone'],
  },
  'GET /api/v1/internal/contacts/{code}': {
    operationId: 'getAnyContact',
    summary: 'Read a contact of any registrar',
    success: 'The contact.',
    answer: contact,
    refusals: ['not_found'],
  },
});
