import type { Env, WebhookMessage } from '../../env.ts';
import { forgetStarted } from '../../http/started-auctions.ts';
import { clockAhead } from '../../time/clock.ts';
import { bindingsPath, frontHeader, tokenHeader } from './http-bindings.ts';
import { runStatements } from './lender.ts';

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
  const [resource, key = ''] = pathname.slice(bindingsPath.length).split('/');
  if (resource === 'database') {
    const call = runStatements(env.DB, await request.json());
    return Response.json(await call.finally(() => forgetStarted(env.DB)));
  }
  const options = JSON.parse(searchParams.get('options') ?? '{}');
  if (resource === 'lists') return answerKey(env.LISTS, decodeURIComponent(key), options, request);
  if (resource === 'archive' && request.method === 'PUT') {
    await env.ARCHIVE!.put(decodeURIComponent(key), await request.arrayBuffer());
    return new Response();
  }
  if (resource === 'archive') return Response.json(await listObjects(env.ARCHIVE!, options));
  await open(env);
  return Response.json(clockAhead());
}

/** A page of the bucket's objects, whose own properties are not enumerable. */
async function listObjects(bucket: R2Bucket, options: R2ListOptions) {
  const { objects, ...page } = await bucket.list(options);
  const listed = objects.map(({ key, size, customMetadata }) => ({ key, size, customMetadata }));
  return { ...page, objects: listed };
}

/** Reads or writes the value of a key; with an empty key, lists the keys. */
async function answerKey(
  lists: KVNamespace,
  key: string,
  options: object,
  request: Request,
): Promise<Response> {
  if (request.method === 'GET' && key === '') return Response.json(await lists.list(options));
  if (request.method === 'GET') {
    const value = await lists.get(key, 'stream');
    return new Response(value, { status: value === null ? 204 : 200 });
  }
  await lists.put(key, await request.arrayBuffer(), options);
  return new Response();
}
