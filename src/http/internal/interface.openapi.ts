import * as z from 'zod';
import type { systemRights } from '../../../drizzle/schema.ts';
import { shownWith } from '../answer.openapi.ts';
import { type Call, callsOf } from '../openapi/call.ts';
import { internalMessages } from './answer.ts';

const callOf = callsOf({
  name: 'Internal',
  tag: 'Internal',
  security: [{ systemKey: [] }],
  refusals: ['invalid', 'unauthorized', 'throttled'],
  show: shownWith(internalMessages),
});

/** The calls that need this right; without one, those for any system. */
export const internalCalls =
  (right?: (typeof systemRights)[number]) =>
  ({ description = '', refusals = [], ...call }: Call) =>
    callOf({
      ...call,
      description: `${right ? `Needs \`${right}\`.` : 'For any system.'} ${description}`.trim(),
      refusals: right ? ['forbidden', ...refusals] : refusals,
    });

export const nameInPath = z.object({
  name: z.string().meta({
    description: 'The name, in Unicode or punycode.',
    param: { id: 'InternalName', example: 'kohv.ee' },
  }),
});
