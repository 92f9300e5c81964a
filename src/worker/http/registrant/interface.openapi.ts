import { shownWith } from '../openapi/answer.openapi.ts';
import { callsOf } from '../openapi/call.ts';
import { parameter } from '../openapi/describe.ts';
import type { Interface } from '../openapi/refusal.ts';
import { messages } from './answer.ts';

export const registrants = {
  name: 'Registrant',
  tag: 'Registrant',
  security: [{ bearer: [] }],
  refusals: ['invalid', 'unauthorized', 'too_large', 'throttled'],
  show: shownWith(messages),
  headers: ['X-Client-Transaction-Id', 'RPP-Cltrid', 'X-D1-Bookmark'],
  path: {
    uuid: parameter(
      'ContactUuid',
      'The contact’s UUID, in either case.',
      'c0000000-0000-4000-8000-000000000001',
    ),
  },
} satisfies Interface;

export const registrantCalls = callsOf(registrants);
