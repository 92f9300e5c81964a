import { currentTime } from '../../clock.ts';
import { logUnexpected } from '../../log.ts';
import type { Reader } from '../../public-list/reader.ts';
import { type AppContext, database } from '../context.ts';
import { matchesWeakly } from '../entity-tag.ts';

/** What reading lists for this request depends on. */
export function readerOf(c: AppContext): Reader {
  return {
    db: () => database(c),
    kv: c.env.LISTS,
    meter: c.var.meter,
    clock: currentTime,
    later: (work) =>
      c.executionCtx.waitUntil(work.catch((error) => logUnexpected(error, c.var.requestId))),
  };
}

/** Whether `If-None-Match` names the weak ETag. */
export function isKnown(c: AppContext, etag: string): boolean {
  const known = c.req.raw.headers.get('If-None-Match');
  return known !== null && (known === etag || matchesWeakly(known, etag.slice('W/"'.length, -1)));
}

/** A public answer in JSON, or 304 for a client that has it. */
export function answerWithJson(
  c: AppContext,
  headers: Record<string, string> & { ETag: string },
  json: string,
): Response {
  const all = { ...headers, 'X-Request-Id': c.var.requestId };
  if (isKnown(c, headers.ETag)) return new Response(null, { status: 304, headers: all });
  const type = { 'Content-Type': 'application/json; charset=utf-8' };
  return new Response(c.req.method === 'HEAD' ? null : json, { headers: { ...all, ...type } });
}
