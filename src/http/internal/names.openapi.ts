import * as z from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { auctionStatuses } from '../../../drizzle/schema.ts';
import { internalCalls, nameInPath } from './interface.openapi.ts';

const auction = z.object({
  id: z.guid(),
  status: z.enum(auctionStatuses),
  registration_deadline: z.string().nullable(),
});

const state = z
  .object({
    name: z.string(),
    punycode_name: z.string(),
    blocked: z.boolean(),
    disputed: z.boolean(),
    reserved: z.boolean(),
    auction: auction.nullable().meta({
      description: 'The newest auction that is in progress, awaits payment or is paid.',
    }),
    registered: z.boolean().meta({ description: 'Whether this service has the domain.' }),
  })
  .meta({ id: 'NameState' });

export const internalNamePaths: ZodOpenApiPathsObject = {
  '/api/v1/internal/names/{name}': {
    get: internalCalls()({
      operationId: 'getNameState',
      summary: 'Ask what stands between a name and its registration',
      description: 'From the database, never cached.',
      path: nameInPath,
      success: { description: 'The state of the name.', schema: state },
    }),
  },
};
