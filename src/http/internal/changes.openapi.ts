import * as z from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { history } from '../../../drizzle/schema.ts';
import { followedSubjects } from '../../history/follow.ts';
import { registrarContact } from '../contact-answer.openapi.ts';
import { changesQuery } from './changes.ts';
import { internalCalls } from './interface.openapi.ts';

const { limit, after } = changesQuery().shape;
z.globalRegistry
  .add(limit, {
    description: 'How many changes the page has at most; 0 asks only for the `after` of now.',
  })
  .add(after, {
    description:
      'The `after` of the page before: opaque. If it is left out, the page begins with the first change of all.',
    // The value is opaque.
    override: { pattern: undefined },
  });

const change = z
  .object({
    id: z.int(),
    at: z.iso.datetime({ precision: 3 }),
    subject: z.enum(followedSubjects),
    key: z.string().meta({ description: 'The code of a contact, or a name.' }),
    uuid: z.string().nullable().meta({ description: 'Of a contact or an auction.' }),
    registrar: z.string().nullable().meta({
      description: 'The code of the registrar of a contact or a domain, if it is known.',
    }),
    action: z.enum(history.action.enumValues),
    by: z.string().meta({ description: 'Who acted, in the form of `creator_str`.' }),
    request_id: z.string().nullable(),
    fields: z.array(z.string()).meta({
      description:
        'What changed. A contact’s fields are named as registrars know them. Values are read with the other calls.',
    }),
  })
  .meta({ id: 'Change' });

const page = z
  .object({
    changes: z.array(change),
    after: z.string().meta({ description: 'For the next page.' }),
    more: z.boolean().meta({
      description: 'Whether to ask for the next page now; a page may be empty all the same.',
    }),
  })
  .meta({ id: 'ChangesPage' });

const contact = z
  .object({
    contact: registrarContact,
    registrar: z.string().meta({ description: 'The registrar’s code.' }),
  })
  .meta({ id: 'InternalContact' });

const call = internalCalls('changes');

export const internalChangesPaths: ZodOpenApiPathsObject = {
  '/api/v1/internal/changes': {
    get: call({
      operationId: 'listChanges',
      summary: 'Follow the changes of contacts, auctions, retained names, disputes and domains',
      description:
        'To begin, take the `after` that `limit=0` gives, fetch everything, and follow from there; after a 410, begin again. Nobody who does misses a change or sees one twice.',
      query: changesQuery(),
      success: {
        description: 'The changes, in the order in which they took effect.',
        schema: page,
      },
      refusals: ['gone'],
    }),
  },
  '/api/v1/internal/contacts/{code}': {
    get: call({
      operationId: 'getAnyContact',
      summary: 'Read a contact of any registrar',
      path: z.object({ code: z.string() }),
      success: { description: 'The contact.', schema: contact },
      refusals: ['not_found'],
    }),
  },
};
