import * as z from 'zod';
import { perList } from '../../../list/lists.ts';
import { callsOf, json } from '../openapi/call.ts';
import { instantType, named } from '../openapi/describe.ts';
import { everyAnswer, headersOf } from '../openapi/headers.ts';

const list = z
  .object({
    count: z.int().nonnegative().nullable(),
    etag: z.string().nullable(),
    published_at: instantType().nullable(),
    is_behind: z.boolean().nullable().meta({
      description: 'Whether the list lacks a change; null if that is not known.',
    }),
  })
  .meta({ id: 'ListHealth', description: 'The last publication; null where there is none.' });

const common = {
  version: z.string().describe('The release that runs.'),
  build: z.string().describe('The deployment that runs; each has another.'),
  database: z.object({
    is_reachable: z.boolean().describe('Whether it answered within five seconds.'),
  }),
  lists: z.object(perList(() => list)),
};

const failing = named('FailingHealth', {
  status: z.literal('failing'),
  reason: z.string().min(1).describe('One sentence.'),
  ...common,
});

export const healthPaths = callsOf({ name: 'Health', tag: 'Health', refusals: ['throttled'] })({
  'GET /health': {
    operationId: 'getHealth',
    summary: 'Read whether the service works',
    description:
      'For monitors and load balancers: open, and never cached. What it says may be five seconds old.',
    success: 'It works.',
    answer: named('Health', { status: z.literal('ok'), ...common }),
    others: {
      503: {
        description: 'It is failing, for the `reason`.',
        headers: headersOf(...everyAnswer),
        ...json(failing),
      },
    },
  },
});
