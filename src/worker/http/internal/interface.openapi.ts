import * as z from 'zod';
import type { systemRights } from '../../../../drizzle/schema.ts';
import type { NameObstacle } from '../../../name/name.ts';
import { fieldErrorsType, shownWith } from '../openapi/answer.openapi.ts';
import { callsOf } from '../openapi/call.ts';
import { parameter } from '../openapi/describe.ts';
import { internalMessages } from './answer.ts';

const uuid = z.string().describe('The auction’s UUID.');
const name = parameter('InternalName', 'The name, in Unicode or punycode.', 'kohv.ee');

/** Why a name in a request, or the rest of it, is refused with 400. `invalid` is any other cause. */
type InvalidReason =
  | 'unknown_registrar'
  | 'unknown_contact'
  | 'invalid_name'
  | 'outside_zones'
  | 'letter_not_allowed'
  | 'invalid';

/** The result codes of EPP (RFC 5730) for the reasons of refusals. A later release may add reasons. */
export const eppCodes: Record<NameObstacle | InvalidReason, string> = {
  registered: '2302',
  blocked: '2308',
  disputed: '2304',
  dispute_password_missing: '2003',
  dispute_password_wrong: '2202',
  reserved: '2304',
  in_auction: '2306',
  awaiting_payment: '2304',
  paid: '2304',
  code_missing: '2003',
  code_wrong: '2202',
  code_late: '2306',
  password_missing: '2003',
  password_wrong: '2202',
  not_in_progress: '2304',
  changed: '2304',
  late: '2304',
  not_yours: '2201',
  too_many: '2308',
  unknown_registrar: '2303',
  unknown_contact: '2303',
  invalid_name: '2005',
  outside_zones: '2005',
  letter_not_allowed: '2005',
  invalid: '2005',
};

const codes = Object.entries(eppCodes).map(([reason, code]) => `\`${reason}\` (${code})`);

export const reasonType = z.enum(Object.keys(eppCodes)).meta({
  id: 'Reason',
  description: `Why, for programs, with its code in EPP. There may be more values: answer 2400 for one that you do not know. ${codes.join(', ')}.`,
});

const refusalType = fieldErrorsType.extend({ reason: reasonType }).meta({ id: 'InternalRefusal' });

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
    errorOf: (status) => ([400, 409].includes(status) ? refusalType : fieldErrorsType),
    path: { name, uuid },
  });
