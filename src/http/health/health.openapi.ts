import * as z from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { perList } from '../../public-list/lists.ts';
import { callsOf } from '../openapi/call.ts';
import { everyAnswer, headersOf } from '../openapi/headers.ts';

const call = callsOf({
  name: 'Health',
  tag: 'Health',
  refusals: ['throttled'],
});

const list = z
  .object({
    count: z.int().nonnegative().nullable(),
    etag: z.string().nullable(),
    published_at: z.iso.datetime({ precision: 3 }).nullable(),
    is_behind: z
      .boolean()
      .nullable()
      .meta({ description: 'Whether the list lacks a change; null if that is not known.' }),
  })
  .meta({ id: 'ListHealth', description: 'The last publication; null where there is none.' });

const common = {
  version: z.string().meta({ description: 'The release that runs.' }),
  build: z.string().meta({ description: 'The deployment that runs; each has another.' }),
  database: z.object({
    is_reachable: z.boolean().meta({ description: 'Whether it answered within five seconds.' }),
  }),
  lists: z.object(perList(() => list)),
};

export const healthPaths: ZodOpenApiPathsObject = {
  '/health': {
    get: call({
      operationId: 'getHealth',
      summary: 'Read whether the service works',
      description: 'For monitors and load balancers: open, and cached for five seconds.',
      success: {
        description: 'It works.',
        schema: z.object({ status: z.literal('ok'), ...common }).meta({ id: 'Health' }),
      },
      others: {
        503: {
          description: 'It is failing, for the `reason`.',
          headers: headersOf(...everyAnswer),
          content: {
            'application/json': {
              schema: z
                .object({
                  status: z.literal('failing'),
                  reason: z.string().min(1).meta({ description: 'One sentence.' }),
                  ...common,
                })
                .meta({ id: 'FailingHealth' }),
            },
          },
        },
      },
    }),
  },
};
