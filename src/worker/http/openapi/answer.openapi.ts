import * as z from 'zod';
import { auctionStatuses } from '../../../../drizzle/schema.ts';
import type { Reason } from '../../../base/error.ts';
import { maximumPlatformLength } from '../../../name/auction/start.ts';
import { maximumBatchBytes, maximumBodyBytes } from '../request/input.ts';
import { bodyOfNames } from '../request/names.ts';

export const reasonCases: Record<Reason, string> = {
  malformed: 'the body is not a JSON object, or its `Content-Type` is another',
  missing: 'a required field or parameter is missing',
  out_of_range: 'a number is out of its range',
  invalid: 'a parameter, header or field has an invalid value',
  identity_invalid: 'the identity code does not conform to the national format',
  too_large: `the body is larger than ${maximumBodyBytes / 1024} KiB or, as a batch, ${maximumBatchBytes / 1024} KiB`,
  coded: 'the body has a `Content-Encoding` other than `identity`',
  unauthorized: 'the credentials are missing, malformed, wrong, expired or disabled',
  address_denied: 'the caller’s address is not allowed',
  throttled: 'too many requests: try again after `Retry-After` seconds',
  forbidden: 'the caller may not do this',
  taken: 'the chosen id is taken',
  conflict: 'something on record stands in the way; the message says what',
  not_found: 'it does not exist, or the caller may not see it',
  update_prohibited: 'a status of the contact prohibits the update',
  delete_prohibited: 'a status of the contact prohibits the deletion',
  linked: 'a domain refers to the contact',
  identity_change: 'the identity is not the one on record',
  status_change: 'the contact lacks one of these statuses, which registrars cannot set',
  changed_meanwhile: '`If-Match` or `If-None-Match` does not allow what is there now',
  busy: 'too many others are changing the same thing; nothing has changed: try again after `Retry-After` seconds',
  key_reused: 'the `Idempotency-Key` was used with another request',
  gone: 'what it continues from is no longer available: fetch everything again',
  not_offered: 'the registry has no such service',
  service_failed: 'a service that the registry asks has failed; nothing has changed',
  misconfigured:
    'a setting of the registry is missing or malformed; nothing has changed: try again after `Retry-After` seconds',
  unknown_route: 'there is no such path',
  method_not_allowed: 'the path exists, but not for this method; `Allow` names those that it has',
  unexpected: 'a failure of the service; the message has the request id and no internals',
};

/** The text about a reason, for an interface with fixed messages. */
export const shownWith =
  (messages: Partial<Record<Reason, string>>) => (reason: Reason, cause: string) => {
    const fixed = messages[reason];
    return fixed === undefined ? cause : `*${fixed}*: ${cause}`;
  };

/** The error form of all interfaces but the registrars'. */
export const fieldErrorsType = z
  .object({
    errors: z.record(z.string(), z.array(z.string().min(1)).min(1)).meta({
      minProperties: 1,
      description:
        'The messages by field, nested fields by their path (`address.country_code`). What concerns no field is under `base`.',
    }),
    detail: z.string().optional().meta({
      description:
        'A sentence for people about a field, where the messages say too little; its wording may change.',
    }),
  })
  .meta({ id: 'FieldErrors' });

export const auctionShape = {
  id: z.guid(),
  domain: z.string().describe('The name, in Unicode.'),
  status: z.enum(auctionStatuses),
  platform: z.string().max(maximumPlatformLength).optional().meta({
    description: 'Present only for an auction that has one.',
  }),
};

const { element: anyName } = bodyOfNames(1).shape.names.def;

export const wrongName = z
  .object({
    name: anyName.check(z.meta({ description: 'As it was given.' })),
    error: z.string().min(1),
  })
  .meta({ id: 'WrongName' });
