import type { Env, WebhookMessage } from '../../base/env.ts';
import { clockAhead } from '../../base/time/clock.ts';
import { forgetStarted } from '../../worker/http/request/recent.ts';
import { bindingsPath, frontHeader, runStatements, tokenHeader } from './http-bindings.ts';

interface LocalEnv extends Env {
  TOOL_TOKEN?: string;
  /** Given by `npm start`, whose front sends it with every request. */
  FRONT_TOKEN?: string;
}

export interface FetchingWorker extends ExportedHandler<LocalEnv, WebhookMessage> {
  fetch: ExportedHandlerFetchHandler<LocalEnv>;
}

/**
 * The Worker as it runs locally. It lends its bindings to `npm start`, which prepares the data, and to the operator's
 * tool, because two processes that write to one SQLite file disturb each other. Other requests come through the front of
 * `npm start`; `open` is done before the first of them. A deployment has none of this: it runs src/index.ts.
 */
export function lendBindings(
  worker: FetchingWorker,
  open: (env: Env) => Promise<void> = async () => {},
): FetchingWorker {
  return {
    ...worker,
    async fetch(request, env, context) {
      const url = new URL(request.url);
      if (!url.pathname.startsWith(bindingsPath)) {
        const { FRONT_TOKEN } = env;
        if (FRONT_TOKEN !== undefined && request.headers.get(frontHeader) !== FRONT_TOKEN) {
          return new Response('only through the address of npm start', { status: 403 });
        }
        await open(env);
        return worker.fetch(request, env, context);
      }
      const isTool = env.TOOL_TOKEN && request.headers.get(tokenHeader) === env.TOOL_TOKEN;
      if (!isTool) return new Response('only for the tool', { status: 401 });
      return answer(request, env, url, open).catch(
        (error: Error) => new Response(error.message, { status: 500 }),
      );
    },
  };
}

async function answer(
  request: Request,
  env: Env,
  { pathname, searchParams }: URL,
  open: (env: Env) => Promise<void>,
): Promise<Response> {
  const [resource, encodedKey = ''] = pathname.slice(bindingsPath.length).split('/');
  const key = decodeURIComponent(encodedKey);
  const options = JSON.parse(searchParams.get('options') ?? '{}');
  switch (`${request.method} ${resource}`) {
    case 'POST database': {
      const call = runStatements(env.DB, await request.json());
      return Response.json(await call.finally(() => forgetStarted(env.DB)));
    }
    case 'GET lists': {
      if (key === '') return Response.json(await env.LISTS.list(options));
      const value = await env.LISTS.get(key, 'stream');
      return new Response(value, { status: value === null ? 204 : 200 });
    }
    case 'PUT lists':
      await env.LISTS.put(key, await request.arrayBuffer(), options);
      return new Response();
    case 'GET archive':
      return Response.json(await listObjects(env.ARCHIVE!, options));
    case 'PUT archive':
      await env.ARCHIVE!.put(key, await request.arrayBuffer());
      return new Response();
    default:
      await open(env);
      return Response.json(clockAhead());
  }
}

/** A page of the bucket's objects, whose own properties are not enumerable. */
async function listObjects(bucket: R2Bucket, options: R2ListOptions) {
  const { objects, ...page } = await bucket.list(options);
  const listed = objects.map(({ key, size, customMetadata }) => ({ key, size, customMetadata }));
  return { ...page, objects: listed };
}
