import type { Env } from '../../../base/env.ts';
import type { ListName } from '../../../list/lists.ts';
import type { ReadList } from '../../../list/read/whole-list.ts';
import { findRateLimits } from '../../settings.ts';
import { weightsOf } from '../request/accept.ts';
import { type ErrorForm, fieldErrors } from '../request/answer.ts';
import { cacheHeaders, isKnown } from '../request/public-list.ts';
import { securityHeaders } from '../request/security-headers.ts';

/** Pages of any origin may read a public answer, refusals included. */
export const openToPages = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'ETag, Ignored-Fields, Ignored-Parameters, Link, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
};

export const immutable = 'public, max-age=31536000, immutable';

export const listError: ErrorForm = (error, c) => {
  const { field, detail } = error.problems[0];
  const answer = fieldErrors(error, c, {}, field && detail ? { detail } : {});
  for (const [name, value] of Object.entries(openToPages)) answer.headers.set(name, value);
  return answer;
};

/** Shared by all requests, because the headers depend only on their key. */
const headersMade = new Map<string, Headers>();
const maximumMade = 100;

/** A 304 has none that concern the body. Kept, because copying headers takes a fraction of the time of making them. */
function headersOf(env: Env, status: 200 | 304, lists: readonly ListName[], etag: string): Headers {
  const policy = status === 200 ? findRateLimits(env)?.header : undefined;
  const key = `${status} ${env.ENVIRONMENT} ${policy} ${lists} ${etag}`;
  const kept = headersMade.get(key);
  if (kept) return kept;
  const headers = new Headers({ ...cacheHeaders(lists, etag), ...openToPages });
  if (status === 200) {
    headers.set('Content-Type', 'application/json; charset=utf-8');
    for (const [name, value] of securityHeaders(env)) headers.set(name, value);
    if (policy) headers.set('RateLimit-Policy', policy);
  }
  if (headersMade.size === maximumMade) headersMade.clear();
  headersMade.set(key, headers);
  return headers;
}

/** 304 for a client that has the JSON. */
export function jsonAnswer(
  request: Request,
  env: Env,
  lists: readonly ListName[],
  { etag, json }: { etag: string; json: string },
): Response {
  const status = isKnown(request, etag) ? 304 : 200;
  const body = status === 304 || request.method === 'HEAD' ? null : json;
  return new Response(body, { status, headers: headersOf(env, status, lists, etag) });
}

/**
 * A handler must return the answer as it is: the context's own Response would lose `encodeBody`, which sends compressed
 * bytes as they are.
 */
export function listAnswer(
  request: Request,
  env: Env,
  list: ListName,
  { etag, body }: ReadList,
): Response {
  const status = body ? 200 : 304;
  const headers = headersOf(env, status, [list], etag);
  if (!body) return new Response(null, { status, headers });
  const isGzip = acceptsGzip(request);
  const isHead = request.method === 'HEAD';
  if (isHead && body instanceof ReadableStream) body.cancel().catch(() => {});
  const answer =
    isHead || !isGzip
      ? new Response(isHead ? null : decompressed(body), { headers })
      : new Response(body, { headers, encodeBody: 'manual' });
  if (isGzip) answer.headers.set('Content-Encoding', 'gzip');
  else answer.headers.set(...uncached);
  return answer;
}

/** Some 150 KB of text; decompressing them counts as one request. */
const plainBytes = 16 * 1024;

/** How many requests a whole list for a client without gzip counts as. */
export function plainRequests({ bytes }: Pick<ReadList, 'bytes'>): number {
  return Math.ceil(bytes / plainBytes);
}

/**
 * The cache in front of the Worker sees the same `Accept-Encoding` for every client, so `Vary` cannot tell the two
 * encodings apart there. Therefore it may store only the gzip answer: the platform decompresses that for clients that
 * accept no compression, and a 304 for the ETag that both share cannot renew another. This header is for the
 * platform's cache only (RFC 9213); other caches see the client's own `Accept-Encoding`.
 */
const uncached = ['Cloudflare-CDN-Cache-Control', 'no-store'] as const;

function decompressed(body: Uint8Array<ArrayBuffer> | ReadableStream): ReadableStream {
  return new Response(body).body!.pipeThrough(new DecompressionStream('gzip'));
}

/**
 * RFC 9110, section 12.5.3. Where the platform replaces the header by its own, what the client sent is in `cf`. A
 * client that sent nothing gets nothing compressed.
 */
export function acceptsGzip(request: Request): boolean {
  const cf = request.cf as IncomingRequestCfProperties | undefined;
  const weights = weightsOf(cf?.clientAcceptEncoding ?? request.headers.get('Accept-Encoding'));
  return (weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0) > 0;
}
