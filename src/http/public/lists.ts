import { Hono } from 'hono';
import { hasTypes, type ListName, listPaths } from '../../public-list/lists.ts';
import { readList } from '../../public-list/read/list.ts';
import type { AppContext, AppEnv } from '../context.ts';
import { isKnown, readerOf } from '../public-list.ts';
import { changes, changesPaths } from './changes.ts';
import { acceptsGzip } from './encoding.ts';
import { listHeaders } from './headers.ts';
import { lookupPath, namePath, names } from './names.ts';
import { requestedList } from './requested-list.ts';

/** Mounted at the root, because the table of lists contains whole paths. */
export const publicLists = new Hono<AppEnv>({ strict: false });

for (const path of listPaths) {
  publicLists.get(path, (c) => {
    if (hasTypes(path)) c.set('knownParameters', ['type']);
    return answerWithList(c, requestedList(path, c.req.queries('type')));
  });
}

publicLists.route('/', changes);
publicLists.route('/', names);

const readable = [...listPaths, ...changesPaths, namePath];

publicLists.options(lookupPath, (c) => c.body(null, 204, preflightHeaders(c, 'POST, OPTIONS')));

publicLists.on('OPTIONS', readable, (c) =>
  c.body(null, 204, preflightHeaders(c, 'GET, HEAD, OPTIONS')),
);

function preflightHeaders(c: AppContext, methods: string): Record<string, string> {
  return {
    Allow: methods,
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers': c.req.header('Access-Control-Request-Headers') ?? '*',
    'Access-Control-Max-Age': '86400',
  };
}

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
  const { etag, body } = await readList(list, readerOf(c), (etag) => isKnown(c, etag));
  const headers: Record<string, string> = {
    ...listHeaders([list], etag),
    'X-Request-Id': c.var.requestId,
  };
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

function decompressed(body: Uint8Array<ArrayBuffer> | ReadableStream): ReadableStream {
  const stream =
    body instanceof ReadableStream ? body : (new Response(body).body as ReadableStream);
  return stream.pipeThrough(new DecompressionStream('gzip'));
}
