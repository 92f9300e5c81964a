import * as z from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { callsOf, requiredBody } from '../openapi/call.ts';
import { pageQuery } from '../paging.openapi.ts';
import { cachedCall, preflight, readers } from './interface.openapi.ts';
import { asciiName, listedStatus, unicodeName } from './lists.openapi.ts';
import { lookupBody } from './names.ts';

const { names } = lookupBody().shape;

const forms = { name: unicodeName, punycode_name: asciiName };

const listedName = z
  .object({
    ...forms,
    statuses: z.array(listedStatus).meta({
      description: 'In alphabetical order; empty for a name that is not retained.',
    }),
    in_auction: z.boolean(),
  })
  .meta({ id: 'ListedName' });

const nameHistory = z
  .object({
    ...forms,
    history: z.array(
      z.object({
        status: z.enum([...listedStatus.options, 'auction']),
        from: z.iso
          .datetime()
          .nullable()
          .meta({ description: 'Null if the beginning is not on record.' }),
        until: z.iso
          .datetime()
          .nullable()
          .meta({ description: 'The first moment without the status; null while it lasts.' }),
      }),
    ),
  })
  .meta({ id: 'NameHistory' });

const wrongName = z
  .object({
    name: names.def.element.check(z.meta({ description: 'As it was given.' })),
    error: z.string().min(1),
  })
  .meta({ id: 'WrongName' });

const name = z.string().meta({
  description: 'The name, in Unicode or punycode, in either case.',
  param: { id: 'Name', example: 'kuressaare.ee' },
});
const path = z.object({ name });

const lookUp = callsOf({
  ...readers,
  name: 'Lookup',
  refusals: [...readers.refusals, 'invalid'],
});

const description = 'Names in Unicode or punycode, in either case.';
const body = z.object({ names: names.check(z.meta({ description })) }).meta({ id: 'Lookup' });

export const namePaths: ZodOpenApiPathsObject = {
  '/repp/v1/retained_domains/{name}': {
    get: cachedCall({
      operationId: 'getName',
      summary: 'Read what the lists say about a name',
      description:
        'A name on none of the lists need not be free: it may be registered, or sold at auction and not registered yet.',
      path,
      success: { description: 'The name, in both forms.', schema: listedName },
      refusals: ['invalid'],
    }),
    options: preflight('preflightGetName', path),
  },
  '/repp/v1/retained_domains/{name}/history': {
    get: cachedCall({
      operationId: 'getNameHistory',
      summary: 'Read what a name was, and when',
      description:
        'The times during which the name was reserved, blocked, disputed or in auction, the oldest first. Several may overlap; those of one status never touch.',
      path,
      query: pageQuery(),
      success: { description: 'A page of the history.', schema: nameHistory },
      refusals: ['invalid'],
    }),
    options: preflight('preflightGetNameHistory', path),
  },
  '/repp/v1/retained_domains/lookup': {
    post: lookUp({
      operationId: 'lookUpNames',
      summary: 'Look up many names',
      body: requiredBody(body),
      success: {
        description: 'The results in the order asked; a wrong name is answered in its place.',
        schema: z
          .object({ results: z.array(z.union([listedName, wrongName])) })
          .meta({ id: 'LookupAnswer' }),
      },
    }),
    options: preflight('preflightLookUpNames'),
  },
};
