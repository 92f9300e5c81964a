import * as z from 'zod';
import type { Reason } from '../../error.ts';
import { fieldErrorsType, reasonCases } from '../answer.openapi.ts';
import { callsOf } from '../openapi/call.ts';
import { internalMessages } from './answer.ts';

export const internalCall = callsOf({
  name: 'Internal',
  tag: 'Internal',
  security: [{ systemKey: [] }],
  refusals: ['invalid', 'unauthorized', 'throttled'],
  errorOf: () => fieldErrorsType,
  show(reason: Reason) {
    const fixed = internalMessages[reason];
    return fixed === undefined ? reasonCases[reason] : `*${fixed}*: ${reasonCases[reason]}`;
  },
  headers: [],
});

export const nameInPath = z.object({
  name: z.string().meta({
    description: 'The name, in Unicode or punycode.',
    param: { id: 'InternalName', example: 'kohv.ee' },
  }),
});
