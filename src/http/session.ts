import type { MiddlewareHandler } from 'hono';
import { bookmarkHeader, bookmarkRefused, isBookmark } from './bookmark.ts';
import type { AppEnv } from './context.ts';
import { refuse } from './input.ts';

/**
 * Tells the client in a bookmark what it has seen of the database, and takes the bookmark that it gives back: so it reads
 * its own writes, from the nearest replica that has them. Refuses what is no bookmark.
 */
export const continueSession: MiddlewareHandler<AppEnv> = async (c, next) => {
  const given = c.req.header(bookmarkHeader);
  if (given !== undefined) {
    if (!isBookmark(given)) await refuse(c, bookmarkRefused().problems);
    c.set('bookmark', given);
  }
  await next();
  const bookmark = c.var.session?.getBookmark();
  if (bookmark) c.header(bookmarkHeader, bookmark);
};
