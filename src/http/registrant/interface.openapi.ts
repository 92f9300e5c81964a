import { shownWith } from '../answer.openapi.ts';
import { callsOf } from '../openapi/call.ts';
import type { Interface } from '../openapi/refusal.ts';
import { messages } from './answer.ts';

export const registrants = {
  name: 'Registrant',
  tag: 'Registrant',
  security: [{ bearer: [] }],
  refusals: ['invalid', 'unauthorized', 'too_large', 'throttled'],
  show: shownWith(messages),
  headers: ['X-Client-Transaction-Id', 'RPP-Cltrid', 'X-D1-Bookmark'],
} satisfies Interface;

export const registrantCall = callsOf(registrants);
