import type { Env } from '../../../base/env.ts';
import { bareTag } from '../../../list/archive/body.ts';
import { csvOf } from '../../../list/format/csv.ts';
import { type ListName, publicLists } from '../../../list/lists.ts';
import type { ReadList } from '../../../list/read/whole-list.ts';
import { findRateLimits } from '../../settings.ts';
import { weightsOf } from '../request/accept.ts';
import { type ErrorForm, fieldErrors } from '../request/answer.ts';
import { cacheHeaders, isKnown } from '../request/public-list.ts';
import { securityHeaders } from '../request/security-headers.ts';

/** Pages of any origin may read a public response, refusals included. */
export const openToPages = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'ETag, Ignored-Fields, Ignored-Parameters, Link, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
};

const json = 'application/json';

export const immutable = 'public, max-age=31536000, immutable';

export const listError: ErrorForm = (error, c) => {
  const { field, detail } = error.problems[0];
  const answer = fieldErrors(error, c, {}, field && detail ? { detail } : {});
  for (const [name, value] of Object.entries(openToPages)) answer.headers.set(name, value);
  return answer;
};

/** Shared by all requests: the headers depend only on the key. */
const headersMade = new Map<string, Headers>();
const maximumMade = 100;

/** A 304 has no headers about the body. The headers are kept, because copying them is much faster than making them. */
function headersOf(
  env: Env,
  status: 200 | 304,
  lists: readonly ListName[],
  etag: string,
  type: string,
): Headers {
  const policy = status === 200 ? findRateLimits(env)?.header : undefined;
  const key = `${status} ${env.ENVIRONMENT} ${policy} ${lists} ${type} ${etag}`;
  const kept = headersMade.get(key);
  if (kept) return kept;
  const headers = new Headers({ ...cacheHeaders(lists, etag), ...openToPages });
  if (status === 200) {
    headers.set('Content-Type', `${type}; charset=utf-8`);
    for (const [name, value] of securityHeaders(env)) headers.set(name, value);
    if (policy) headers.set('RateLimit-Policy', policy);
  }
  if (headersMade.size === maximumMade) headersMade.clear();
  headersMade.set(key, headers);
  return headers;
}

/** The text, or a 304 for a client that has it. */
export function textAnswer(
  request: Request,
  env: Env,
  lists: readonly ListName[],
  { etag, text, type = json }: { etag: string; text: string; type?: string },
): Response {
  const status = isKnown(request, etag) ? 304 : 200;
  const body = status === 304 || request.method === 'HEAD' ? null : text;
  return new Response(body, { status, headers: headersOf(env, status, lists, etag, type) });
}

/**
 * A handler must return this response itself: the context's own Response would lose `encodeBody`, which sends compressed bytes unchanged.
 */
export function listAnswer(
  request: Request,
  env: Env,
  list: ListName,
  { etag, body }: ReadList,
): Response {
  const status = body ? 200 : 304;
  const headers = headersOf(env, status, [list], etag, json);
  if (!body) return new Response(null, { status, headers });
  const isGzip = acceptsGzip(request);
  const isHead = request.method === 'HEAD';
  if (isHead && body instanceof ReadableStream) body.cancel().catch(() => {});
  const answer =
    isHead || !isGzip
      ? new Response(isHead ? null : decompressed(body), { headers })
      : new Response(body, { headers, encodeBody: 'manual' });
  answer.headers.set('Link', changesLink(list, etag));
  setCoding(answer, isGzip);
  return answer;
}

/** The weak ETag of the CSV of a list. */
export const csvTag = (etag: string) => `W/"${bareTag(etag)}-csv"`;

/** The list as CSV, in a file named after the day. The runtime compresses it. */
export function csvAnswer(
  request: Request,
  env: Env,
  list: ListName,
  { etag, body }: ReadList,
  day: string,
): Response {
  const headers = headersOf(env, body ? 200 : 304, [list], csvTag(etag), 'text/csv');
  if (!body) return new Response(null, { status: 304, headers });
  const csv = csvOf(list, decompressed(body));
  const isHead = request.method === 'HEAD';
  if (isHead) csv.cancel().catch(() => {});
  const answer = new Response(isHead ? null : csv, { headers });
  const { path, type } = publicLists[list];
  const name = [path.split('/').at(-1), type, day].filter(Boolean).join('-');
  answer.headers.set('Content-Disposition', `attachment; filename="${name}.csv"`);
  setCoding(answer, acceptsGzip(request));
  return answer;
}

function setCoding({ headers }: Response, isGzip: boolean): void {
  if (isGzip) headers.set('Content-Encoding', 'gzip');
  else headers.set(...uncached);
}

/** Where the list's changes since this content are (RFC 8288; the relation is registered by RFC 5989). */
function changesLink(list: ListName, etag: string): string {
  const { path, type } = publicLists[list];
  const ofType = type === undefined ? '' : `type=${type}&`;
  return `<${path}/changes?${ofType}since=${bareTag(etag)}>; rel="monitor"`;
}

/** Some 150 KB of text. Decompressing them counts as one request. */
const gzipBytesOfRequest = 16 * 1024;

/** The weight of a whole list for a client without gzip, in requests. */
export function plainRequests({ bytes }: Pick<ReadList, 'bytes'>): number {
  return Math.ceil(bytes / gzipBytesOfRequest);
}

/**
 * The cache in front of the Worker sees the same `Accept-Encoding` for every client, so `Vary` cannot distinguish the two encodings there.
 * Therefore it may store only the gzip response: the platform decompresses it for clients without compression, and a 304 for the shared ETag
 * cannot renew another response. This header is for the platform's cache only (RFC 9213). Other caches see the client's own
 * `Accept-Encoding`.
 */
const uncached = ['Cloudflare-CDN-Cache-Control', 'no-store'] as const;

function decompressed(body: Uint8Array<ArrayBuffer> | ReadableStream): ReadableStream {
  return new Response(body).body!.pipeThrough(new DecompressionStream('gzip'));
}

/**
 * RFC 9110, section 12.5.3. The platform replaces the header and keeps the client's own in `cf`. A client without the header gets nothing
 * compressed.
 */
export function acceptsGzip(request: Request): boolean {
  const cf = request.cf as IncomingRequestCfProperties | undefined;
  const weights = weightsOf(cf?.clientAcceptEncoding ?? request.headers.get('Accept-Encoding'));
  return (weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0) > 0;
}
