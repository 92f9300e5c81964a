import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { pushProblem } from '../../worker/http/openapi/contract.ts';

export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

/** A registrar's server behind its webhook, on this machine. It keeps what it receives. */
export function startEndpoint() {
  const received: Received[] = [];
  let answer: (response: ServerResponse, index: number) => void;
  let waiting: (() => void) | undefined;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    received.push({ headers: request.headers, body });
    answer(response, received.length - 1);
    waiting?.();
  });
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  beforeEach(() => {
    received.length = 0;
    answer = (response) => response.writeHead(204).end();
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    received,
    get url() {
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    },
    /** Sets the answer to every request from now on. */
    answerWith(how: typeof answer) {
      answer = how;
    },
    answerStatus(status: (index: number) => number) {
      answer = (response, index) => response.writeHead(status(index)).end();
    },
    /** Settles once it has received this many requests. */
    async receives(count: number): Promise<void> {
      while (received.length < count) {
        await new Promise<void>((resolve) => {
          waiting = resolve;
        });
      }
    },
  };
}

/**
 * The payload of a request, verified by the package of the specification. Throws an Error if it is not as the OpenAPI
 * document says.
 */
export function verified(secret: string, { headers, body }: Received) {
  const problem = pushProblem({ headers, body });
  if (problem) throw new Error(problem);
  // biome-ignore lint/suspicious/noExplicitAny: the payloads of every event
  return new Webhook(secret).verify(body, headers as Record<string, string>) as any;
}
