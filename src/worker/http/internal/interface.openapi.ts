import * as z from 'zod';
import type { systemRights } from '../../../../drizzle/schema.ts';
import { shownWith } from '../openapi/answer.openapi.ts';
import { callsOf } from '../openapi/call.ts';
import { parameter } from '../openapi/describe.ts';
import { internalMessages } from './answer.ts';

const uuid = z.string().describe('The auction’s UUID.');
const name = parameter('InternalName', 'The name, in Unicode or punycode.', 'kohv.ee');

/** Describes calls that need this right; without one, any system may call. */
export const internalCalls = (right?: (typeof systemRights)[number]) =>
  callsOf({
    name: 'Internal',
    tag: 'Internal',
    preface: right ? `Needs \`${right}\`.` : 'For any system.',
    security: [{ systemKey: [] }],
    refusals: ['invalid', 'unauthorized', 'throttled', ...(right ? (['forbidden'] as const) : [])],
    show: shownWith(internalMessages),
    path: { name, uuid },
  });
