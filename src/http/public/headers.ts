import type { ListName } from '../../public-list/source.ts';
import { cacheTag } from '../publish.ts';

/**
 * With the 30 seconds that a location may keep what it has read from KV, and the few of a copy in memory, a change is
 * seen within a minute.
 */
const maximumAgeSeconds = 15;

/** What 200 and 304 of a list have in common. */
export function listHeaders(list: ListName, etag: string): Record<string, string> {
  return {
    ETag: etag,
    'Cache-Control': `public, max-age=${maximumAgeSeconds}`,
    Vary: 'Accept-Encoding',
    'Cache-Tag': cacheTag(list),
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': 'ETag, X-Request-Id',
  };
}
