import type { ListName } from '../../public-list/lists.ts';
import { cacheHeaders } from '../public-list.ts';

/** The headers that 200 and 304 have in common, of a list or of what is read from several. */
export function listHeaders(
  lists: readonly ListName[],
  etag: string,
): Record<string, string> & { ETag: string } {
  return { ...cacheHeaders(lists, etag), ...openToPages };
}

/** Any page may read a public answer. */
export const openToPages = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag, Ignored-Fields, Ignored-Parameters, X-Request-Id',
};
