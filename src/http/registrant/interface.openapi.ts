import { fieldErrorsType } from '../answer.openapi.ts';
import { callsOf } from '../openapi/call.ts';
import type { Interface } from '../openapi/interface.ts';

export const registrants: Interface = {
  name: 'Registrant',
  tag: 'Registrant',
  security: [{ bearer: [] }],
  refusals: ['invalid', 'unauthorized', 'too_large', 'throttled'],
  errorOf: () => fieldErrorsType,
  headers: ['X-Client-Transaction-Id', 'RPP-Cltrid', 'X-D1-Bookmark', 'RateLimit-Policy'],
};

export const registrantCall = callsOf(registrants);
