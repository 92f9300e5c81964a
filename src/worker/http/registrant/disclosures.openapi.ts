import * as z from 'zod';
import { discloseableFields } from '../../../contact/operator/disclosure/disclosure.ts';
import { instantType, named } from '../openapi/describe.ts';
import { pageQuery } from '../openapi/paging.openapi.ts';
import { registrantCalls } from './interface.openapi.ts';

export const personalDisclosureType = named('Disclosure', {
  contact: z.string().describe('The code that the contact had.'),
  organization: z.string().describe('The organisation that asked.'),
  basis: z.string().describe('The legitimate interest or the law that it named.'),
  fields: z
    .array(z.enum(discloseableFields))
    .describe('What was disclosed, by the names that registrars know.'),
  granted_at: instantType(),
});

export const disclosurePaths = registrantCalls({
  'GET /api/v1/registrant/disclosures': {
    operationId: 'listDisclosuresOfPerson',
    summary: 'List to whom the person’s data was disclosed',
    description:
      'In the order of the requests. A disclosure belongs to the person whose data it was, whoever holds the contact now. One that law keeps from the person for a while, or for ever, is not shown.',
    query: pageQuery(),
    success: 'A page of disclosures.',
    answer: named('DisclosuresAnswer', { disclosures: z.array(personalDisclosureType) }),
  },
});
