import { currentMilliseconds } from '../../clock.ts';
import type { Env } from '../../env.ts';
import { requestPoint, writePoint } from '../../metrics.ts';
import { type ListName, listNames, publicLists } from '../../public-list/lists.ts';
import { memoryOf } from '../../public-list/read/memory.ts';
import { logTogether } from '../log.ts';
import { listHeaders } from './headers.ts';

/** The lists by the URLs that clients use. Any other spelling of a URL takes the usual route. */
const lists = new Map(
  listNames.map((list) => {
    const { path, type } = publicLists[list];
    return [type === undefined ? path : `${path}?type=${type}`, list] as const;
  }),
);

/** The host begins after `https://`. */
const hostStart = 8;

/**
 * Answers the most frequent request: a client asks whether a list has changed, and it has not, as far as this isolate
 * remembers. This runs before the application, because the application's routing costs more than the answer.
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
  if (
    list === undefined ||
    memoryOf(env.LISTS).findFresh(list, currentMilliseconds())?.etag !== known
  )
    return undefined;

  const requestId = crypto.randomUUID();
  const response = new Response(null, { status: 304, headers: headersOf(list, known) });
  response.headers.set('X-Request-Id', requestId);
  logTogether(context, { requestId, method: 'GET', route: publicLists[list].path, status: 304 });
  writePoint(env, points[list]);
  return response;
}

/** What a revalidation is and costs, which is always the same. */
const points = Object.fromEntries(
  listNames.map((list) => [
    list,
    requestPoint({
      interface: 'lists',
      method: 'GET',
      route: publicLists[list].path,
      status: 304,
      registrar: null,
      durationMilliseconds: 0,
      d1: 0,
      rowsRead: 0,
      kvReads: 0,
    }),
  ]),
) as Record<ListName, AnalyticsEngineDataPoint>;

/** Headers are built once, because copying takes a fraction of the time. They depend only on the list and its ETag. */
const built = new Map<ListName, { etag: string; headers: Headers }>();

function headersOf(list: ListName, etag: string): Headers {
  const known = built.get(list);
  if (known?.etag === etag) return known.headers;
  const headers = new Headers(listHeaders([list], etag));
  built.set(list, { etag, headers });
  return headers;
}
