import { cacheTag, type ListName } from '../../public-list/lists.ts';

/**
 * With the 30 seconds for which a location may keep what it has read from KV, and the five for which an isolate keeps
 * its copy, a change is seen within a minute.
 */
const maximumAgeSeconds = 15;
/** How long a cache may answer with an old list while the service fails (RFC 5861). */
const staleIfErrorSeconds = 24 * 60 * 60;

/** The headers that 200 and 304 have in common, of a list or of what is read from several. */
export function listHeaders(
  lists: readonly ListName[],
  etag: string,
): Record<string, string> & { ETag: string } {
  return { ...cacheHeaders(lists, etag), ...openToPages };
}

/** How caches keep what is read from the lists. */
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

/** Any page may read a public answer. */
export const openToPages = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag, Ignored-Fields, Ignored-Parameters, X-Request-Id',
};
