import type { AppContext } from '../context.ts';
import { isKnown } from '../public-list.ts';

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
