import * as z from 'zod/mini';
import { claims, type VerificationDemand } from '../../../drizzle/schema.ts';
import { currentTime } from '../../base/time/clock.ts';
import { dayRule, instantRule } from '../../base/time/instant.ts';

/** Rules for verification columns in files. Properties are in the order in which they are stored. */

const anyText = z.string('is not text');
const text = anyText.check(z.minLength(1, 'is empty'));
const textOrNull = z._default(z.nullable(anyText), null);

/** A time that is not in the future, in the database's form. */
const pastInstantRule = z.pipe(
  instantRule('is not an ISO 8601 timestamp such as 2026-01-31T12:00:00.000Z').check(
    // Otherwise all later changes of the registrar would get times in the future, too.
    z.refine((instant) => instant <= currentTime(), 'is in the future'),
  ),
  z.transform((instant: Date) => instant.toISOString()),
);

export const verificationRule = z.object(
  {
    id: text,
    method: text,
    framework: textOrNull,
    reference: textOrNull,
    result: z._default(
      z.enum(['success', 'failed', 'ended'], 'is not success, failed or ended'),
      'success',
    ),
    verified_at: pastInstantRule,
    verified_by: textOrNull,
  },
  'is not a verification, a JSON object',
);

export const demandRule = z.object(
  {
    claims: z
      .array(z.enum(claims, `may be ${claims.join(', ')}`), 'is not a list of claims')
      .check(z.minLength(1, 'is empty')),
    by: dayRule('is not a day such as 2027-01-31'),
  },
  'is not a demand, a JSON object',
);

export const identityRequestRule = z.object(
  {
    id: text,
    sent_at: pastInstantRule,
    pending: z._default(
      z.nullable(
        z.object(
          { since: pastInstantRule, country_code: anyText, ident: anyText, name: textOrNull },
          'is not a JSON object',
        ),
      ),
      null,
    ),
    decided_at: z.optional(pastInstantRule),
  },
  'is not a request to the identity service, a JSON object',
);

export function reasonIn({ issues: [issue] }: z.core.$ZodError): string {
  const { path, message } = issue!;
  const field = path.filter((part) => typeof part === 'string').join('.');
  return field ? `${field} ${message}` : message;
}

export function demandNotice(code: string, domains: number, { claims, by }: VerificationDemand) {
  const refer = domains === 1 ? '1 domain refers' : `${domains} domains refer`;
  const text = `Contact ${code} must be verified by ${by}: ${claims.join(', ')}; ${refer} to it`;
  return { event: 'contact.verification_required', text } as const;
}
