import type { Env } from '../../env.ts';
import { recallEtag } from '../../public-list/read.ts';
import type { ListName } from '../../public-list/source.ts';
import { logTogether } from '../log.ts';
import { securityHeaders } from '../security-headers.ts';
import { listHeaders } from './headers.ts';

/** The lists as their clients ask for them; any other spelling of a URL goes the way of every request. */
const lists = new Map<string, ListName>([
  ['/repp/v1/auctions', 'auctions'],
  ['/repp/v1/retained_domains', 'all'],
  ['/repp/v1/retained_domains?type=reserved', 'reserved'],
  ['/repp/v1/retained_domains?type=blocked', 'blocked'],
  ['/repp/v1/retained_domains?type=disputed', 'disputed'],
]);

/** Behind `https://`. */
const hostStart = 8;

/**
 * Answers what nearly every request is: a client that asks whether the list is still the one that it has, and it is,
 * as far as this isolate remembers. It stands before the application, whose routing costs more than the answer.
 */
export function answerRevalidation(
  request: Request,
  env: Env,
  context: ExecutionContext,
): Response | undefined {
  const known = request.headers.get('If-None-Match');
  if (known === null || request.method !== 'GET') return undefined;
  const { url } = request;
  const list = lists.get(url.slice(url.indexOf('/', hostStart)));
  if (list === undefined || recallEtag(env.LISTS, list, Date.now()) !== known) return undefined;

  const requestId = crypto.randomUUID();
  const response = new Response(null, { status: 304, headers: headersOf(env, list, known) });
  response.headers.set('X-Request-Id', requestId);
  logTogether(context, {
    event: 'request',
    request_id: requestId,
    method: 'GET',
    route: list === 'auctions' ? '/repp/v1/auctions' : '/repp/v1/retained_domains',
    status: 304,
    duration_ms: 0,
    registrar: null,
    d1: 0,
    kv: 0,
  });
  return response;
}

/** Copying headers that were built once takes a fraction of building them. */
const built = new Map<ListName, { etag: string; headers: Headers }>();

function headersOf(env: Env, list: ListName, etag: string): Headers {
  const known = built.get(list);
  if (known?.etag === etag) return known.headers;
  const headers = new Headers([
    ...Object.entries(listHeaders(list, etag)),
    ...securityHeaders(env),
  ]);
  built.set(list, { etag, headers });
  return headers;
}
