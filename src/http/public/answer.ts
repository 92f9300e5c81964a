import type { ListName } from '../../public-list/lists.ts';
import type { ReadList } from '../../public-list/read/list.ts';
import { type ErrorForm, fieldErrors } from '../answer.ts';
import type { AppContext } from '../context.ts';
import { cacheHeaders, isKnown } from '../public-list.ts';
import { acceptsGzip } from './encoding.ts';

/** Any page may read a public answer. */
export const openToPages = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag, Ignored-Fields, Ignored-Parameters, X-Request-Id',
};

/** Web pages of any origin may read refusals, as they may read the lists. */
export const listError: ErrorForm = (error, c) => {
  const answer = fieldErrors(error, c);
  for (const [name, value] of Object.entries(openToPages)) answer.headers.set(name, value);
  return answer;
};

/** The headers that 200 and 304 have in common. They are kept, because copying takes a fraction of the time of making. */
const headersMade = new Map<string, Headers>();
const maximumMade = 100;

function headersOf(lists: readonly ListName[], etag: string): Headers {
  const key = `${lists} ${etag}`;
  let headers = headersMade.get(key);
  if (!headers) {
    if (headersMade.size === maximumMade) headersMade.clear();
    headers = new Headers({ ...cacheHeaders(lists, etag), ...openToPages });
    headersMade.set(key, headers);
  }
  return headers;
}

/** Adds the request's id to an answer that a handler returns as it is. */
export function identified(c: AppContext, answer: Response): Response {
  answer.headers.set('X-Request-Id', c.var.requestId);
  return answer;
}

const jsonType = 'application/json; charset=utf-8';

/** JSON that was read from the lists, or 304 for a client that has it. */
export function jsonAnswer(
  request: Request,
  lists: readonly ListName[],
  etag: string,
  json: string,
): Response {
  const headers = headersOf(lists, etag);
  if (isKnown(request, etag)) return new Response(null, { status: 304, headers });
  const answer = new Response(request.method === 'HEAD' ? null : json, { headers });
  answer.headers.set('Content-Type', jsonType);
  return answer;
}

/**
 * A whole list, or 304 where it has no body. A handler must return it as it is: the context's own Response would lose
 * `encodeBody`, which sends compressed bytes as they are.
 */
export function listAnswer(request: Request, list: ListName, { etag, body }: ReadList): Response {
  const headers = headersOf([list], etag);
  if (!body) return new Response(null, { status: 304, headers });
  const isGzip = acceptsGzip(request);
  const answer =
    request.method === 'HEAD'
      ? new Response(null, { headers })
      : isGzip
        ? new Response(body, { headers, encodeBody: 'manual' })
        : new Response(decompressed(body), { headers });
  answer.headers.set('Content-Type', jsonType);
  if (isGzip) answer.headers.set('Content-Encoding', 'gzip');
  else answer.headers.set(...uncached);
  if (request.method === 'HEAD' && body instanceof ReadableStream) body.cancel();
  return answer;
}

/**
 * For the plain answer. The cache in front of the Worker only sees the `Accept-Encoding` that the platform has rewritten,
 * which is the same for every client, so `Vary` cannot tell the two encodings apart there. Therefore it may store only
 * the gzip answer: the platform decompresses that for clients that accept no compression, and a 304 for the ETag that
 * both share cannot renew another. This header is for the platform's cache only (RFC 9213); other caches see the
 * client's own `Accept-Encoding`.
 */
const uncached = ['Cloudflare-CDN-Cache-Control', 'no-store'] as const;

function decompressed(body: Uint8Array<ArrayBuffer> | ReadableStream): ReadableStream {
  const stream =
    body instanceof ReadableStream ? body : (new Response(body).body as ReadableStream);
  return stream.pipeThrough(new DecompressionStream('gzip'));
}
