import type { oas31 } from 'zod-openapi';
import { clientReferencePattern } from '../client-reference.ts';
import { bookmarkHeader, bookmarkPattern } from '../session.ts';
import { keyPattern } from '../write-request.ts';
import { sometimes } from './headers.ts';

/** Request headers that several calls take; all are optional. */
export const headerParameters = {
  'Acting-For': sometimes(
    'The code of the registrar, in either case, that the system acts for whose key is sent. Ignored with a user’s credentials.',
  ),
  'Idempotency-Key': sometimes(
    'Makes the write take effect once: the same request with the same key gets the first answer again, for 24 hours. 1 to 255 printable ASCII characters, with or without quotes.',
    { pattern: keyPattern.source },
  ),
  'If-Match': sometimes(
    'An `ETag` of the contact, several of them, or `*`. Unless the contact is still at such a version, the answer is 412, and nothing is written.',
  ),
  'If-None-Match': sometimes(
    'The `ETag` that the client holds, several of them, or `*` (RFC 9110, weak comparison). If it is current, a read is answered with 304 without a body, and a write of a contact with 412.',
  ),
  'X-Client-Transaction-Id': sometimes(
    'The client’s own reference, 1 to 64 printable ASCII characters. The answer repeats it, and the history keeps it.',
    { pattern: clientReferencePattern.source },
  ),
  'RPP-Cltrid': sometimes('The same as `X-Client-Transaction-Id`, which counts if both are sent.', {
    pattern: clientReferencePattern.source,
  }),
  'X-HMAC-Signature': sometimes('The signature of the body, 64 hexadecimal digits.'),
  [bookmarkHeader]: sometimes(
    'The bookmark of an earlier answer: a read then sees the state of that answer or a later one, from the nearest replica.',
    { pattern: bookmarkPattern.source },
  ),
};

export type HeaderParameter = keyof typeof headerParameters;

export function parametersOf(...names: readonly HeaderParameter[]): oas31.ReferenceObject[] {
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

export const parameterComponents: Record<string, oas31.ParameterObject> = Object.fromEntries(
  Object.entries(headerParameters).map(([name, parameter]) => [
    name,
    { name, in: 'header', ...parameter },
  ]),
);
