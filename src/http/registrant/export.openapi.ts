import * as z from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { domainRoles } from '../../../drizzle/schema.ts';
import { historyEntryType, personalContact } from '../contact-answer.openapi.ts';
import { personalDisclosureType } from './disclosures.openapi.ts';
import { registrantCall as call } from './interface.openapi.ts';

const history = z.array(historyEntryType).meta({ description: 'The oldest change first.' });

const exported = z
  .object({
    exported_at: z.iso.datetime({ precision: 3 }),
    person: z.object({
      ident: z.object({ code: z.string(), type: z.literal('priv'), country_code: z.string() }),
    }),
    contacts: z.array(
      personalContact
        .extend({
          registrar: z.object({ code: z.string(), name: z.string() }),
          domains: z
            .array(z.object({ name: z.string(), role: z.enum(domainRoles) }))
            .meta({ description: 'The domains that refer to the contact.' }),
          history,
        })
        .meta({ id: 'ExportedContact' }),
    ),
    deleted_contacts: z.array(z.object({ id: z.guid(), code: z.string(), history })).meta({
      description: 'The contacts that were the person’s, as long as their history has values.',
    }),
    disclosures: z.array(personalDisclosureType).meta({
      description: 'To whom the person’s data was disclosed, as far as they may know.',
    }),
  })
  .meta({ id: 'PersonalExport' });

export const exportPaths: ZodOpenApiPathsObject = {
  '/api/v1/registrant/export': {
    get: call({
      operationId: 'exportPersonalData',
      summary: 'Export everything that is kept about the person',
      description:
        'At every registrar, history included. It is sent while it is read: a document that ends is complete.',
      success: { description: 'The document.', schema: exported },
    }),
  },
};
