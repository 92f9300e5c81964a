import type { MiddlewareHandler } from 'hono';
import { RegistryError } from '../error.ts';
import type { AppEnv } from './context.ts';

export const bookmarkHeader = 'X-D1-Bookmark';

/** A D1 bookmark (d1/reference/time-travel): four hexadecimal numbers. */
export const bookmarkPattern = /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/;

export function bookmarkRefused(): RegistryError {
  return new RegistryError('invalid', 'Bookmark is invalid', bookmarkHeader);
}

/** Answers a bookmark with a new one, so that clients read their own writes from a near replica. Throws `invalid`. */
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
