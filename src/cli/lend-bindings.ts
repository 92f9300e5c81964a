import { clockAhead } from '../clock.ts';
import type { Env } from '../env.ts';
import type { WebhookMessage } from '../webhook/outbox.ts';
import { bindingsPath, type DatabaseCall, type ServerState, tokenHeader } from './http-bindings.ts';

type LocalEnv = Env & { TOOL_TOKEN?: string };

/** A Worker that answers requests. */
export interface FetchingWorker extends ExportedHandler<LocalEnv, WebhookMessage> {
  fetch: ExportedHandlerFetchHandler<LocalEnv>;
}

/**
 * The Worker as it runs locally: it also lends its bindings to the operator's tool, which must not write to the
 * database's file beside it. The token is a new one for each start. A deployment has none of this: it runs src/index.ts.
 */
export function lendBindings(worker: FetchingWorker): FetchingWorker {
  return {
    ...worker,
    fetch(request, env, context) {
      const url = new URL(request.url);
      const { pathname } = url;
      if (!pathname.startsWith(bindingsPath)) return worker.fetch(request, env, context);
      const isTool = env.TOOL_TOKEN && request.headers.get(tokenHeader) === env.TOOL_TOKEN;
      if (!isTool) return new Response('only for the tool', { status: 401 });
      return answer(request, env, url).catch(
        (error: Error) => new Response(error.message, { status: 500 }),
      );
    },
  };
}

async function answer(
  request: Request,
  env: Env,
  { pathname, searchParams }: URL,
): Promise<Response> {
  const [resource, key] = pathname.slice(bindingsPath.length).split('/');
  if (resource === 'database') return Response.json(await query(env.DB, await request.json()));
  if (resource !== 'lists') {
    return Response.json({ clockAheadMilliseconds: clockAhead() } satisfies ServerState);
  }
  if (key !== undefined) return answerKey(env.LISTS, decodeURIComponent(key), request);
  return Response.json(await env.LISTS.list(JSON.parse(searchParams.get('options') ?? '{}')));
}

function query(db: D1Database, { statements, isRaw }: DatabaseCall): Promise<unknown> {
  const prepared = statements.map(({ sql, params }) => db.prepare(sql).bind(...params));
  return isRaw ? prepared[0]!.raw() : db.batch(prepared);
}

async function answerKey(lists: KVNamespace, key: string, request: Request): Promise<Response> {
  if (request.method === 'GET') {
    const { value, metadata } = await lists.getWithMetadata(key, 'stream');
    const headers = { Metadata: encodeURIComponent(JSON.stringify(metadata)) };
    return new Response(value, { status: value === null ? 204 : 200, headers });
  }
  if (request.method === 'DELETE') await lists.delete(key);
  else {
    const metadata = JSON.parse(decodeURIComponent(request.headers.get('Metadata') ?? 'null'));
    await lists.put(key, await request.arrayBuffer(), { metadata });
  }
  return new Response();
}
