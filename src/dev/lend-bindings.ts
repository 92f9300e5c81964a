import type { Env, WebhookMessage } from '../base/env.ts';
import { clockAhead } from '../base/time/clock.ts';
import {
  bindingsPath,
  frontHeader,
  runStatements,
  tokenHeader,
} from '../tool/local/http-bindings.ts';
import { forgetStarted } from '../worker/http/request/recent.ts';

interface LocalEnv extends Env {
  TOOL_TOKEN?: string;
  /** From `npm start`, whose front sends it with every request. */
  FRONT_TOKEN?: string;
}

export interface FetchingWorker extends ExportedHandler<LocalEnv, WebhookMessage> {
  fetch: ExportedHandlerFetchHandler<LocalEnv>;
}

/**
 * Lends the local Worker's bindings to `npm start` and the operator's tool, because two processes
 * that write to one SQLite file disturb each other. Other requests come through the front of `npm
 * start`, and wait for `open`. A deployment runs src/index.ts instead.
 */
export function lendBindings(
  worker: FetchingWorker,
  open: (env: Env) => Promise<void> = async () => {},
): FetchingWorker {
  return {
    ...worker,
    async fetch(request, env, context) {
      const { pathname } = new URL(request.url);
      if (!pathname.startsWith(bindingsPath)) {
        const { FRONT_TOKEN } = env;
        if (FRONT_TOKEN !== undefined && request.headers.get(frontHeader) !== FRONT_TOKEN) {
          return new Response('only through the address of npm start', { status: 403 });
        }
        await open(env);
        return worker.fetch(request, env, context);
      }
      const isTool = env.TOOL_TOKEN && request.headers.get(tokenHeader) === env.TOOL_TOKEN;
      if (!isTool) return new Response('only for the tool', { status: 401 });
      if (pathname === bindingsPath) {
        await open(env);
        return Response.json(clockAhead());
      }
      return answer(request, env).catch(
        (error: Error) => new Response(error.message, { status: 500 }),
      );
    },
  };
}

async function answer(request: Request, env: Env): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  const [binding, method] = pathname.slice(bindingsPath.length).split('/');
  if (binding === 'database') {
    const call = runStatements(env.DB, await request.json());
    return Response.json(await call.finally(() => forgetStarted(env.DB)));
  }
  const args = JSON.parse(searchParams.get('args')!);
  if (method === 'put') args[1] = await request.arrayBuffer();
  const lent = env as unknown as Record<string, Record<string, (...args: unknown[]) => unknown>>;
  const result = await lent[binding!]![method!]!(...args);
  if ((result ?? null) === null) return new Response(null, { status: 204 });
  if (result instanceof ReadableStream) return new Response(result);
  return Response.json(
    isPage(result) ? { ...result, objects: result.objects.map(visibleProperties) } : result,
  );
}

const isPage = (result: unknown): result is R2Objects => 'objects' in Object(result);

/** These properties are not enumerable. */
const visibleProperties = ({ key, size, customMetadata }: R2Object) => ({
  key,
  size,
  customMetadata,
});
