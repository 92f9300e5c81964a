import * as z from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { discloseableFields } from '../../disclosure/disclosure.ts';
import { pageQuery } from '../paging.openapi.ts';
import { registrantCall as call } from './interface.openapi.ts';

export const personalDisclosureType = z
  .object({
    contact: z.string().meta({ description: 'The code that the contact had.' }),
    organization: z.string().meta({ description: 'The organisation that asked.' }),
    basis: z.string().meta({ description: 'The legitimate interest or the law that it named.' }),
    fields: z
      .array(z.enum(discloseableFields))
      .meta({ description: 'What was disclosed, by the names that registrars know.' }),
    granted_at: z.iso.datetime({ precision: 3 }),
  })
  .meta({ id: 'Disclosure' });

export const disclosurePaths: ZodOpenApiPathsObject = {
  '/api/v1/registrant/disclosures': {
    get: call({
      operationId: 'listDisclosuresOfPerson',
      summary: 'List to whom the person’s data was disclosed',
      description:
        'In the order of the requests. A disclosure belongs to the person whose data it was, whoever holds the contact now. One that law keeps from the person for a while, or for ever, is not shown.',
      query: pageQuery(),
      success: {
        description: 'A page of disclosures.',
        schema: z
          .object({ disclosures: z.array(personalDisclosureType) })
          .meta({ id: 'DisclosuresAnswer' }),
      },
    }),
  },
};
