import type { Reason } from '../../error.ts';
import { fieldErrorsType, reasonCases } from '../answer.openapi.ts';
import { callsOf } from '../openapi/call.ts';
import type { Interface } from '../openapi/refusal.ts';
import { messages } from './answer.ts';

function show(reason: Reason): string {
  const fixed = messages[reason];
  return fixed === undefined ? reasonCases[reason] : `*${fixed}*: ${reasonCases[reason]}`;
}

export const registrants: Interface = {
  name: 'Registrant',
  tag: 'Registrant',
  security: [{ bearer: [] }],
  refusals: ['invalid', 'unauthorized', 'too_large', 'throttled'],
  errorOf: () => fieldErrorsType,
  show,
  headers: ['X-Client-Transaction-Id', 'RPP-Cltrid', 'X-D1-Bookmark'],
};

export const registrantCall = callsOf(registrants);
