import type { oas31 } from 'zod-openapi';
import {
  bookmarkHeader,
  bookmarkPattern,
  clientReferencePattern,
  keyPattern,
} from '../request/client-headers.ts';

function always(description: string, schema: oas31.SchemaObject = {}): oas31.HeaderObject {
  return { ...sometimes(description, schema), required: true };
}

function sometimes(description: string, schema: oas31.SchemaObject = {}): oas31.HeaderObject {
  return { description, schema: { type: 'string', ...schema } };
}

const reference = sometimes('Repeats the client’s reference, in the header that it came in.', {
  pattern: clientReferencePattern.source,
});

export const headers = {
  'X-Request-Id': always(
    'The id of the request, which the service’s log and the history of what it changed have too.',
    { format: 'uuid' },
  ),
  'Cache-Control': always(
    '`private, no-store`, except for what anybody may read: the public lists and the pages.',
  ),
  'Ignored-Parameters': sometimes(
    'The query parameters that the call does not know, separated by commas. Present only if there are any.',
  ),
  'Ignored-Fields': sometimes(
    'The paths of the body’s fields that the call does not know, separated by commas. Present only if there are any.',
  ),
  ETag: always('The version of what is shown: of a contact; of a list or a name, weak.', {
    pattern: '^(W/)?"[^"]+"$',
  }),
  Link: sometimes(
    'A link (RFC 8288): the next page (`rel="next"`), present only on a full page; of a public list, its changes since this content (`rel="monitor"`), not on a past day.',
  ),
  'Idempotent-Replayed': sometimes(
    '`true` if a request with this `Idempotency-Key` took effect before.',
    { enum: ['true'] },
  ),
  [bookmarkHeader]: sometimes(
    'A bookmark of the database state that contains what was written or read.',
    { pattern: bookmarkPattern.source },
  ),
  'X-Client-Transaction-Id': reference,
  'RPP-Cltrid': reference,
  'RateLimit-Policy': sometimes('The limits: `q` requests in `w` seconds.'),
  RateLimit: always(
    'The limit that has been reached, as `RateLimit-Policy` names it: `t` seconds to wait.',
    {
      pattern: '^"[a-z-]+";r=0;t=\\d+$',
    },
  ),
  'Retry-After': always('Seconds to wait.', { pattern: '^\\d+$' }),
  'WWW-Authenticate': sometimes('The scheme to authenticate with.'),
  Allow: always('The methods that the path has.'),
  'Accept-Encoding': always('The content coding that a body may have: `identity`, which is none.', {
    enum: ['identity'],
  }),
  'Content-Language': always('The language of the page.'),
  'Cache-Tag': sometimes('The lists that the answer is made from, for the platform’s cache.'),
  'Content-Disposition': always('The name of the file.'),
  Vary: always('The request headers that the answer depends on.'),
  'Access-Control-Allow-Origin': always('`*`: a page of any origin may read the answer.', {
    enum: ['*'],
  }),
  'Access-Control-Expose-Headers': sometimes('The headers that such a page may read.'),
  'Access-Control-Allow-Methods': always('The methods that a page of any origin may use.'),
  'Access-Control-Allow-Headers': always(
    'The request headers that such a page may send: those that it asked for.',
  ),
  'Access-Control-Max-Age': always('For how many seconds the page’s browser may keep this answer.'),
} satisfies Record<string, oas31.HeaderObject>;

export type HeaderName = keyof typeof headers;

export const everyNotModified = ['X-Request-Id', 'Cache-Control'] as const satisfies HeaderName[];
export const everyAnswer = [
  ...everyNotModified,
  'RateLimit-Policy',
] as const satisfies HeaderName[];

export function maybe(...names: readonly HeaderName[]): oas31.HeadersObject {
  return Object.fromEntries(names.map((name) => [name, { ...headers[name], required: false }]));
}

export function headersOf(...names: readonly HeaderName[]): oas31.HeadersObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

export const headerParameters = {
  'Acting-For': sometimes(
    'The code of the registrar, in either case, that the system acts for whose key is sent; a key is refused without it. Ignored with a user’s credentials.',
  ),
  'Idempotency-Key': sometimes(
    'Makes the write take effect once: the same request with the same key gets the first answer ' +
      'again, for 24 hours. 1 to 255 printable ASCII characters, with or without quotes.',
    { pattern: keyPattern.source },
  ),
  'If-Match': sometimes(
    'An `ETag` of the contact, several of them, or `*`. Unless the contact is still at such a version, the answer is 412, and nothing is written. A domain has no `ETag`, so only `*` fits it.',
  ),
  'If-None-Match': sometimes(
    'The `ETag` that the client holds, several of them, or `*` (RFC 9110, weak comparison). If ' +
      'it is current, the answer is 304 without a body, and 412 to a call that writes.',
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
