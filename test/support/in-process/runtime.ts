import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Readable } from 'node:stream';
import { inject } from 'vitest';
import type { Env, WebhookMessage } from '../../../src/base/env.ts';
import { databaseFile } from '../../tool/empty-again.ts';
import { inProcessBindings } from './bindings.ts';
import { copyDatabase } from './database.ts';

type Worker = Required<Pick<ExportedHandler<Env, WebhookMessage>, 'fetch' | 'scheduled'>>;

/** The answers whose body is sent as it is. */
const encoded = new WeakSet<Response>();

/** A response that remembers whether the Worker has encoded its body. */
class WorkerResponse extends Response {
  constructor(body?: BodyInit | null, init?: ResponseInit) {
    super(body, init);
    if (init?.encodeBody === 'manual' || encoded.has(init as Response)) encoded.add(this);
  }
}

/** The context of requests, and the end of the work that they leave for later. */
function newContext() {
  const later = new Set<Promise<unknown>>();
  const waitUntil = (work: Promise<unknown>) => {
    const forget = () => void later.delete(ended);
    const ended: Promise<unknown> = work.then(forget, forget);
    later.add(ended);
  };
  return {
    context: { waitUntil, passThroughOnException() {}, props: {} } as unknown as ExecutionContext,
    async finish() {
      while (later.size > 0) await Promise.all(later);
    },
  };
}

/** The Worker's answer as it is sent: what stands before the Worker adds to the request, and compresses the answer. */
async function answerOf(
  worker: Worker,
  request: Request,
  env: Env,
  context: ExecutionContext,
): Promise<Response> {
  const { headers } = request;
  const cf = { clientAcceptEncoding: headers.get('Accept-Encoding') ?? '' };
  Object.defineProperty(request, 'cf', { value: cf });
  headers.set('Accept-Encoding', 'br, gzip');
  if (!headers.has('CF-Connecting-IP')) headers.set('CF-Connecting-IP', '127.0.0.1');
  const response: Response = await worker.fetch(request as never, env, context);
  if (request.method === 'HEAD' || !response.body) return new Response(null, response);
  const isPlain = response.headers.get('Content-Encoding') === 'gzip' && !encoded.has(response);
  if (!isPlain) return response;
  return new Response(response.body.pipeThrough(new CompressionStream('gzip')), response);
}

/** Starts the Worker of a module in this process, with a server in front of it. */
export async function startInProcess(
  main: string,
  vars: Record<string, string>,
  environment?: 'production',
) {
  globalThis.Response = WorkerResponse;
  const { default: worker }: { default: Worker } = await import(path.resolve(main));
  const DB = copyDatabase(databaseFile(inject('emptyRegistry')));
  const env = inProcessBindings(DB, vars, environment);
  const { context, finish } = newContext();
  const answer = (request: Request) => answerOf(worker, request, env, context);
  const server = createServer((incoming, outgoing) => {
    answerOnTheWire(incoming, outgoing, answer).catch(() => outgoing.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    url: new URL(`http://127.0.0.1:${port}`),
    env,
    /** The answer as a client reads it. */
    async fetch(url: string, init: RequestInit = {}): Promise<Response> {
      const request = new Request(url, init);
      if (!request.headers.has('Accept-Encoding')) request.headers.set('Accept-Encoding', 'gzip');
      if (typeof init.body === 'string')
        request.headers.set('Content-Length', String(Buffer.byteLength(init.body)));
      const response = await answer(request);
      if (response.headers.get('Content-Encoding') !== 'gzip' || !response.body) return response;
      return new Response(response.body.pipeThrough(new DecompressionStream('gzip')), response);
    },
    async scheduled(cron: string) {
      await worker.scheduled({ cron, scheduledTime: Date.now(), noRetry() {} }, env, context);
      await finish();
    },
    logs(): { message: string }[] {
      throw new Error('only workerd keeps its log lines apart');
    },
    async close() {
      await finish();
      server.closeAllConnections();
      server.close();
    },
  };
}

async function answerOnTheWire(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: (request: Request) => Promise<Response>,
) {
  const { method = 'GET', url = '/', rawHeaders } = incoming;
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  const hasBody = 'content-length' in incoming.headers || 'transfer-encoding' in incoming.headers;
  const request = new Request(`http://${headers.get('Host')}${url}`, {
    ...{ method: hasBody ? 'POST' : method, headers, duplex: 'half' },
    body: (hasBody ? Readable.toWeb(incoming) : null) as never,
  });
  // Node makes no GET with a body, which clients may send.
  Object.defineProperty(request, 'method', { value: method });
  const response = await answer(request);
  outgoing.writeHead(response.status, [...response.headers].flat());
  for await (const chunk of response.body ?? []) outgoing.write(chunk);
  outgoing.end();
}
