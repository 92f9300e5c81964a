import { Hono } from 'hono';
import { RegistryError } from '../../error.ts';
import { logUnexpected } from '../../log.ts';
import {
  findList,
  hasTypes,
  type ListName,
  type ListPath,
  listPaths,
} from '../../public-list/lists.ts';
import { readList } from '../../public-list/read.ts';
import type { Reader } from '../../public-list/reader.ts';
import { type AppContext, type AppEnv, database } from '../context.ts';
import { matchesWeakly } from '../entity-tag.ts';
import { acceptsGzip } from './encoding.ts';
import { listHeaders } from './headers.ts';

/** Mounted at the root, because the table of lists contains whole paths. */
export const publicLists = new Hono<AppEnv>({ strict: false });

for (const path of listPaths) {
  publicLists.get(path, (c) => {
    if (hasTypes(path)) c.set('knownParameters', ['type']);
    return answerWithList(c, requestedList(path, c.req.queries('type')));
  });
}

/** Throws `invalid` for an unknown or repeated `type`. A path that serves only one list has no `type`. */
function requestedList(path: ListPath, types: readonly string[] = []): ListName {
  const given = hasTypes(path) ? types : [];
  const list = given.length > 1 ? undefined : findList(path, given[0]);
  if (list === undefined) {
    throw new RegistryError('invalid', 'is not included in the list', 'type');
  }
  return list;
}

publicLists.on('OPTIONS', [...listPaths], (c) => {
  const methods = 'GET, HEAD, OPTIONS';
  return c.body(null, 204, {
    Allow: methods,
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers': c.req.header('Access-Control-Request-Headers') ?? '*',
    'Access-Control-Max-Age': '86400',
  });
});

/**
 * For the plain answer. The cache in front of the Worker only sees the `Accept-Encoding` that the platform has rewritten,
 * which is the same for every client, so `Vary` cannot tell the two encodings apart there. Therefore it may store only
 * the gzip answer: the platform decompresses that for clients that accept no compression, and a 304 for the ETag that
 * both share cannot renew another. This header is for the platform's cache only (RFC 9213); other caches see the
 * client's own `Accept-Encoding`.
 */
const uncached = { 'Cloudflare-CDN-Cache-Control': 'no-store' };

/**
 * Returns a plain Response, because the context's own would lose `encodeBody`, which sends compressed bytes as they are.
 */
async function answerWithList(c: AppContext, list: ListName): Promise<Response> {
  const request = c.req.raw;
  const known = request.headers.get('If-None-Match');
  const isKnown = (etag: string) =>
    known !== null && (known === etag || matchesWeakly(known, opaque(etag)));
  const { etag, body } = await readList(list, readerOf(c), isKnown);
  const headers = { ...listHeaders(list, etag), 'X-Request-Id': c.var.requestId } as Record<
    string,
    string
  >;
  if (!body) return new Response(null, { status: 304, headers });
  headers['Content-Type'] = 'application/json; charset=utf-8';
  const isGzip = acceptsGzip(request);
  if (isGzip) headers['Content-Encoding'] = 'gzip';
  else Object.assign(headers, uncached);
  if (request.method === 'HEAD') {
    if (body instanceof ReadableStream) await body.cancel();
    return new Response(null, { headers });
  }
  if (isGzip) return new Response(body, { headers, encodeBody: 'manual' });
  return new Response(decompressed(body), { headers });
}

export function readerOf(c: AppContext): Reader {
  return {
    db: () => database(c),
    kv: c.env.LISTS,
    meter: c.var.meter,
    clock: () => new Date(),
    later: (work) =>
      c.executionCtx.waitUntil(work.catch((error) => logUnexpected(error, c.var.requestId))),
  };
}

/** The part of a weak tag between its quotes. */
function opaque(etag: string): string {
  return etag.slice('W/"'.length, -1);
}

function decompressed(body: Uint8Array<ArrayBuffer> | ReadableStream): ReadableStream {
  const stream =
    body instanceof ReadableStream ? body : (new Response(body).body as ReadableStream);
  return stream.pipeThrough(new DecompressionStream('gzip'));
}
