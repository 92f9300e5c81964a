import * as z from 'zod';
import { wrongName } from '../openapi/answer.openapi.ts';
import { named } from '../openapi/describe.ts';
import { pageQuery } from '../openapi/paging.openapi.ts';
import { cached, publicCalls } from './interface.openapi.ts';
import { asciiName, listedStatus, unicodeName } from './lists.openapi.ts';
import { lookupBody } from './names.ts';

const { names } = lookupBody().shape;

const forms = { name: unicodeName, punycode_name: asciiName };

const listedName = named('ListedName', {
  ...forms,
  statuses: z
    .array(listedStatus)
    .describe('In alphabetical order; empty for a name that is not retained.'),
  in_auction: z.boolean(),
});

const interval = z.object({
  status: z.enum([...listedStatus.options, 'auction']),
  from: z.iso.datetime().nullable().describe('Null if the beginning is not on record.'),
  until: z.iso.datetime().nullable().meta({
    description: 'The first moment without the status; null while it lasts.',
  }),
});

const description = 'Names in Unicode or punycode, in either case.';

export const namePaths = publicCalls({
  'GET /repp/v1/retained_domains/{name}': {
    operationId: 'getName',
    summary: 'Read what the lists say about a name',
    description:
      'A name on none of the lists need not be free: it may be registered, sold at auction and not registered yet, or of another registry.',
    ...cached,
    success: 'The name, in both forms.',
    answer: listedName,
    refusals: ['invalid'],
  },
  'GET /repp/v1/retained_domains/{name}/history': {
    operationId: 'getNameHistory',
    summary: 'Read what a name was, and when',
    description:
      'The times during which the name was reserved, blocked, disputed or in auction, the oldest first. Several may overlap; those of one status never touch.',
    ...cached,
    query: pageQuery(),
    success: 'A page of the history.',
    answer: named('NameHistory', { ...forms, history: z.array(interval) }),
    refusals: ['invalid'],
  },
  'POST /repp/v1/retained_domains/lookup': {
    operationId: 'lookUpNames',
    onlyReads: true,
    summary: 'Look up many names',
    body: named('Lookup', { names: names.check(z.meta({ description })) }),
    success: 'The results in the order asked; a wrong name is answered in its place.',
    answer: named('LookupAnswer', { results: z.array(z.union([listedName, wrongName])) }),
    refusals: ['invalid'],
  },
});
