import { fieldErrorsType } from '../answer.openapi.ts';
import { callsOf } from '../openapi/call.ts';
import type { Interface } from '../openapi/refusal.ts';

export const registrants: Interface = {
  name: 'Registrant',
  tag: 'Registrant',
  security: [{ bearer: [] }],
  refusals: ['invalid', 'unauthorized', 'too_large', 'throttled'],
  errorOf: () => fieldErrorsType,
  headers: ['X-Client-Transaction-Id', 'RPP-Cltrid', 'X-D1-Bookmark'],
};

export const registrantCall = callsOf(registrants);
