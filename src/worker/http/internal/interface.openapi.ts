import * as z from 'zod';
import type { systemRights } from '../../../../drizzle/schema.ts';
import { type NameObstacle, nameObstacles } from '../../../name/name.ts';
import { fieldErrorsType, shownWith } from '../openapi/answer.openapi.ts';
import { callsOf } from '../openapi/call.ts';
import { parameter } from '../openapi/describe.ts';
import { internalMessages } from './answer.ts';

const uuid = z.string().describe('The auction’s UUID.');
const name = parameter('InternalName', 'The name, in Unicode or punycode.', 'kohv.ee');

/** The result codes of EPP (RFC 5730) for the reasons of refusals. */
const eppCodes: Record<NameObstacle, string> = {
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
};

const obstacles = Object.keys(nameObstacles) as NameObstacle[];

const codesOf = (codes: Record<string, string>) =>
  Object.entries(codes)
    .map(([reason, code]) => `\`${reason}\` (${code})`)
    .join(', ');

/** A later release may add reasons. */
export const reasonType = z.enum(obstacles).meta({
  id: 'Reason',
  description: `What stands in the way, for programs, with its code in EPP. There may be more values. ${codesOf(eppCodes)}.`,
});

/** Reasons of a batch's rows. A single call gets 400 instead. */
export const rowReasonType = z.enum(['invalid', 'missing', ...obstacles]).meta({
  description: `Only if the row is refused; there may be more values. ${codesOf({ invalid: '2005', missing: '2003' })}, or one of \`Reason\`.`,
});

const conflictType = fieldErrorsType.extend({ reason: reasonType }).meta({ id: 'NameConflict' });

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
