import * as z from 'zod';
import { domainRoles } from '../../../../drizzle/schema.ts';
import { historyEntryType, personalContact } from '../openapi/contact-answer.openapi.ts';
import { instantType, named } from '../openapi/describe.ts';
import { personalDisclosureType } from './disclosures.openapi.ts';
import { registrantCalls } from './interface.openapi.ts';

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

export const exportPaths = registrantCalls({
  'GET /api/v1/registrant/export': {
    operationId: 'exportPersonalData',
    summary: 'Export everything that is kept about the person',
    description:
      'At every registrar, history included. It is sent while it is read: a document that ends is complete.',
    success: 'The document.',
    answer: exported,
  },
});
