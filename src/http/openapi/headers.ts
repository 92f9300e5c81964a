import type { oas31 } from 'zod-openapi';
import { clientReferencePattern } from '../client-reference.ts';
import { bookmarkHeader, bookmarkPattern } from '../session.ts';

type Header = Pick<oas31.HeaderObject, 'description' | 'required' | 'schema'>;

const reference = {
  description: 'Repeats the client’s reference, in the header that it came in.',
  schema: { type: 'string', pattern: clientReferencePattern.source },
} as const satisfies Header;

/** Every response header; those that are always there where they are listed are required. Text unless a schema is given. */
const described = {
  'X-Request-Id': {
    description:
      'The id of the request, which the service’s log and the history of what it changed have too.',
    required: true,
    schema: {
      type: 'string',
      format: 'uuid',
      pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
    },
  },
  'Cache-Control': {
    description:
      '`private, no-store`, except for what anybody may read: the public lists, the health and the pages.',
    required: true,
  },
  'Ignored-Parameters': {
    description:
      'The query parameters that the call does not know, separated by commas. Present only if there are any.',
  },
  'Ignored-Fields': {
    description:
      'The paths of the body’s fields that the call does not know, separated by commas. Present only if there are any.',
  },
  ETag: {
    description:
      'The version of what is shown: of a contact, for `If-Match`; of a list or a name, weak, for `If-None-Match`.',
    required: true,
    schema: { type: 'string', pattern: '^(W/)?"[^"]+"$' },
  },
  Link: {
    description: 'The next page (RFC 8288, `rel="next"`). Present only on a full page.',
  },
  'Idempotent-Replayed': {
    description: '`true` if a request with this `Idempotency-Key` took effect before.',
    schema: { type: 'string', enum: ['true'] },
  },
  [bookmarkHeader]: {
    description: 'A bookmark of the database state that contains what was written or read.',
    schema: { type: 'string', pattern: bookmarkPattern.source },
  },
  'X-Client-Transaction-Id': reference,
  'RPP-Cltrid': reference,
  'RateLimit-Policy': {
    description: 'The limits: `q` requests in `w` seconds.',
  },
  'Retry-After': {
    description: 'Seconds to wait.',
    required: true,
    schema: { type: 'string', pattern: '^\\d+$' },
  },
  'WWW-Authenticate': {
    description: 'The scheme to authenticate with.',
  },
  Allow: {
    description: 'The methods that the path has.',
    required: true,
  },
  Vary: {
    description: 'The request headers that the answer depends on.',
    required: true,
  },
  'Access-Control-Allow-Origin': {
    description: '`*`: a page of any origin may read the answer.',
    required: true,
    schema: { type: 'string', enum: ['*'] },
  },
  'Access-Control-Expose-Headers': {
    description: 'The headers that such a page may read.',
  },
  'Access-Control-Allow-Methods': {
    description: 'The methods that a page of any origin may use.',
    required: true,
  },
  'Access-Control-Allow-Headers': {
    description: 'The request headers that such a page may send: those that it asked for.',
    required: true,
  },
  'Access-Control-Max-Age': {
    description: 'For how many seconds the page’s browser may keep this answer.',
    required: true,
  },
} as const satisfies Record<string, Header>;

export type HeaderName = keyof typeof described;

/** The headers' components. */
export const headers = Object.fromEntries(
  Object.entries(described).map(([name, header]) => [
    name,
    { schema: { type: 'string' }, ...header },
  ]),
) as Record<HeaderName, oas31.HeaderObject>;

/** The headers of every answer. */
export const everyAnswer = ['X-Request-Id', 'Cache-Control'] as const satisfies HeaderName[];

/** The same headers where they may be missing. */
export function maybe(...names: readonly HeaderName[]): oas31.HeadersObject {
  return Object.fromEntries(names.map((name) => [name, { ...headers[name], required: false }]));
}

/** References to the headers' components. */
export function headersOf(...names: readonly HeaderName[]): oas31.HeadersObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
