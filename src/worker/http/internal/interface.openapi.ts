import * as z from 'zod';
import type { systemRights } from '../../../../drizzle/schema.ts';
import { nameObstacles } from '../../../name/domain/name.ts';
import { fieldErrorsType, shownWith } from '../openapi/answer.openapi.ts';
import { callsOf } from '../openapi/call.ts';
import { parameter } from '../openapi/describe.ts';
import { internalMessages } from './answer.ts';

const uuid = z.string().describe('The auction’s UUID.');
const name = parameter('InternalName', 'The name, in Unicode or punycode.', 'kohv.ee');

const conflictType = fieldErrorsType
  .extend({
    reason: z.enum(nameObstacles).meta({
      description:
        'What stands in the way, for programs; there may be more values. EPP has the codes 2302 ' +
        '(`registered`), 2308 (`blocked`), 2306 (`in_auction`, `code_late`), 2003 ' +
        '(`code_missing`, `password_missing`) and 2202 (`code_wrong`, `password_wrong`) for ' +
        'them; for `disputed`, 2003 without a password and 2202 with a wrong one.',
    }),
  })
  .meta({ id: 'NameConflict' });

export const internalCalls = (right?: (typeof systemRights)[number]) =>
  callsOf({
    name: 'Internal',
    tag: 'Internal',
    preface: right ? `Needs \`${right}\`.` : 'For any system.',
    security: [{ systemKey: [] }],
    refusals: ['invalid', 'unauthorized', 'throttled', ...(right ? (['forbidden'] as const) : [])],
    show: shownWith(internalMessages),
    typical: {
      unauthorized: { message: 'Not authorized' },
      forbidden: { message: 'System shop may not do this: it lacks changes' },
    },
    errorOf: (status) => (status === 409 ? conflictType : fieldErrorsType),
    path: { name, uuid },
  });
