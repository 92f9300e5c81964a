import type { MiddlewareHandler } from 'hono';
import { bookmarkHeader, bookmarkPattern, bookmarkRefused } from './bookmark.ts';
import type { AppEnv } from './context.ts';

/**
 * Answers with a bookmark of the database state and accepts the one that the client sends back, so that the client reads
 * its own writes from the nearest replica that has them. Throws `invalid` for a malformed bookmark.
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
