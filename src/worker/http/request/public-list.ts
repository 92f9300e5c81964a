import { currentTime } from '../../../base/time/clock.ts';
import { cacheTag, type ListName } from '../../../list/lists.ts';
import type { Reader } from '../../../list/read/parts.ts';
import { matches } from './client-headers.ts';
import { type AppContext, afterResponse, database } from './context.ts';
import { publishAfterResponse } from './publish-after-response.ts';
import { throttlePublic } from './throttle.ts';

/** A reader for this request. It publishes missing or incomplete lists after the response. */
export function readerOf(c: AppContext): Reader {
  let charged = 0;
  return {
    db: () => database(c),
    kv: c.env.LISTS,
    meter: c.var.meter,
    clock: currentTime,
    later: (work) => afterResponse(c, work),
    report: (list, trouble) =>
      publishAfterResponse(c, [list], { isForced: trouble === 'incomplete' }),
    // The first request is counted already.
    async countAs(requests) {
      const before = Math.max(1, charged);
      charged += requests;
      if (charged > before) await throttlePublic(c, charged - before);
    },
  };
}

export function isKnown({ headers }: Request, etag: string): boolean {
  const known = headers.get('If-None-Match');
  return known !== null && (known === etag || matches('weak', known, etag.slice('W/"'.length, -1)));
}

/**
 * Together with the 30 seconds of KV's cache and the five of an isolate's memory, clients see a change within a minute.
 */
const maximumAgeSeconds = 15;
/** RFC 5861: a cache may serve an old list while the service fails. */
const staleIfErrorSeconds = 24 * 60 * 60;

/** The caching headers of a response from the lists, for 200 and 304. */
export function cacheHeaders(
  lists: readonly ListName[],
  etag: string,
): Record<string, string> & { ETag: string } {
  return {
    ETag: etag,
    'Cache-Control': `public, max-age=${maximumAgeSeconds}, stale-if-error=${staleIfErrorSeconds}`,
    Vary: 'Accept-Encoding',
    'Cache-Tag': lists.map(cacheTag).join(','),
  };
}
