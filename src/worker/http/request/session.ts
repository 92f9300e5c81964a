import type { MiddlewareHandler } from 'hono';
import { RegistryError } from '../../../base/error.ts';
import type { AppEnv } from './context.ts';

export const bookmarkHeader = 'X-D1-Bookmark';

/** A D1 bookmark (d1/reference/time-travel): four hexadecimal numbers. */
export const bookmarkPattern = /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/;

export function bookmarkRefused(): RegistryError {
  return new RegistryError('invalid', 'Bookmark is invalid', bookmarkHeader);
}

/**
 * Accepts the bookmark that a client sends and answers with a new one, so that the client reads its own writes from the
 * nearest replica that has them. Throws `invalid` for a malformed bookmark.
 */
export const continueSession: MiddlewareHandler<AppEnv> = async (c, next) => {
  const given = c.req.header(bookmarkHeader);
  if (given !== undefined) {
    if (!bookmarkPattern.test(given)) throw bookmarkRefused();
    c.set('bookmark', given);
  }
  await next();
  const bookmark = c.var.session?.getBookmark();
  if (bookmark) c.header(bookmarkHeader, bookmark);
};
