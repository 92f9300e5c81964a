import { cacheTag, type ListName } from '../../public-list/lists.ts';

/**
 * A location may keep what it read from KV for 30 seconds, and an isolate keeps its copy for five; so a change is seen
 * within a minute.
 */
const maximumAgeSeconds = 15;
/** How long a cache may serve an old list while the service fails (RFC 5861). */
const staleIfErrorSeconds = 24 * 60 * 60;

/** The headers that a list's 200 and 304 have in common. */
export function listHeaders(list: ListName, etag: string): Record<string, string> {
  return {
    ETag: etag,
    'Cache-Control': `public, max-age=${maximumAgeSeconds}, stale-if-error=${staleIfErrorSeconds}`,
    Vary: 'Accept-Encoding',
    'Cache-Tag': cacheTag(list),
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': 'ETag, X-Request-Id',
  };
}
