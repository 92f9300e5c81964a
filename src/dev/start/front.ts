import { once } from 'node:events';
import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import { pipeline } from 'node:stream';
import { parseAddressList } from '../../base/address-list.ts';
import { frontHeader } from '../../tool/local/http-bindings.ts';

const hopByHop = /^(connection|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/i;
const setHere = /^(content-length|expect|cf-connecting-ip|registry-front-token|mf-.*)$/i;

/** More than any interface accepts. The rest is not passed on: the interface refuses a body of this length, too. */
const maximumBodyBytes = 300_000;

/** Wrangler's path that runs the scheduled work at once. It may run twice. */
export const cronPath = '/cdn-cgi/handler/scheduled';

/**
 * Listens in front of wrangler's server, as Cloudflare's edge does in front of a deployment, and sets `CF-Connecting-IP`. If only this machine
 * can connect, a program may choose the address by that header. Refuses a request from this machine for a foreign host name (DNS rebinding),
 * and calls from pages of other sites to the scheduled work or a sandbox. Throws the error of `listen`. `open` passes waiting and later
 * requests to the server at an address. While a problem is reported or found, every request gets it as a 503.
 */
export async function listenInFront(
  ip: string,
  port: number,
  token: string,
  findProblem: () => string | undefined = () => undefined,
) {
  const { promise: opened, resolve: open } = Promise.withResolvers<string>();
  const agent = new Agent({ keepAlive: true, timeout: 2_000 });
  let problem: string | undefined;
  const unanswered = new Set<ServerResponse>();
  const report = (text: string | undefined) => {
    problem = text;
    if (text === undefined) return;
    // Wrangler's server would let them wait until the problem is mended.
    for (const response of unanswered) refuse(response, 503, text);
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const refusal = refusalOf(request);
    if (refusal !== undefined) return refuse(response, 403, refusal);
    const found = problem ?? findProblem();
    if (found !== undefined) return refuse(response, 503, found);
    unanswered.add(response);
    response.on('close', () => unanswered.delete(response));
    const address = (isLocal(ip) && request.headers['cf-connecting-ip']) || callerOf(request);
    const headers = ['CF-Connecting-IP', String(address), frontHeader, token];
    try {
      const body = await readBody(request);
      const { hostname, port } = new URL(await opened);
      if (response.headersSent || response.destroyed) return;
      forward(request, response, { hostname, port, agent, headers }, body);
    } catch {
      // Node accepts contradictory headers, but does not send them.
      refuse(response, 400, 'not a request that can be passed on');
    }
  };
  const listen = async (host: string, port: number) => {
    // An upload may exceed Node's limit of five minutes. Only wrangler's server keeps the process running.
    const server = createServer({ requestTimeout: 0 }, answer).listen(port, host).unref();
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  if (ip !== 'localhost') return { port: await listen(ip, port), open, report };
  const taken = await listen('127.0.0.1', port);
  await listen('::1', taken).catch((error: NodeJS.ErrnoException) => {
    // The machine has no IPv6.
    if (error.code !== 'EADDRNOTAVAIL' && error.code !== 'EAFNOSUPPORT') throw error;
  });
  return { port: taken, open, report };
}

function refuse(response: ServerResponse, status: number, reason: string): void {
  if (response.headersSent) return;
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`${reason}\n`);
}

function refusalOf(request: IncomingMessage): string | undefined {
  const { url = '', headers } = request;
  const target = parseTarget(url);
  if (!target) return 'not a path';
  const isFromHere = isLocal(callerOf(request));
  // Wrangler's own pages, such as its explorer of the data.
  const isWranglers = /^\/(cdn-cgi|__cf_local)(\/|$)/.test(target.pathname);
  if (isWranglers && !(isFromHere && target.pathname === cronPath)) {
    return 'not a path of the registry';
  }
  if (isPrivilegedPath(target) && isOfOtherSite(headers)) return 'not for pages of other sites';
  if (!isFromHere) return undefined;
  const host = URL.parse(`http://${headers.host}`)?.hostname.replace(/^\[|\]$/g, '');
  return host && (isLocal(host) || isIP(host)) ? undefined : 'only for localhost and addresses';
}

function isPrivilegedPath({ pathname }: URL): boolean {
  if (pathname === cronPath) return true;
  try {
    // The application decodes the path, too.
    return /^\/sandbox(\/|$)/.test(decodeURI(pathname));
  } catch {
    return false;
  }
}

function isOfOtherSite({ host, origin, ...headers }: IncomingHttpHeaders): boolean {
  if (origin !== undefined && origin.replace(/^https?:\/\//, '') !== host) return true;
  return /^(cross|same)-site$/.test(String(headers['sec-fetch-site']));
}

/** Resolves dot segments, so that the server gets the checked path. */
function parseTarget(url: string): URL | undefined {
  return URL.parse(url.startsWith('/') ? `http://localhost${url}` : url) ?? undefined;
}

const loopback = parseAddressList(['127.0.0.0/8', '::1']);

/** Whether only this machine can reach the host, a name or an address. */
export function isLocal(host: string): boolean {
  if (isIP(host) === 0) return /(^|\.)localhost$/.test(host);
  return loopback.includes(host);
}

/** Drops the prefix of a mapped IPv4 address and a zone. */
function callerOf({ socket }: IncomingMessage): string {
  return (socket.remoteAddress ?? '::').replace(/^::ffff:(?=.*\.)|%.*/g, '');
}

/**
 * Reads the body up to `maximumBodyBytes`; undefined without one. The server closes the connection when it refuses a long body, so a client
 * that is still sending would get no response.
 */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const { headers } = request;
  if (!('content-length' in headers || 'transfer-encoding' in headers)) return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maximumBodyBytes) break;
  }
  request.resume();
  return Buffer.concat(chunks);
}

function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { headers: own, ...server }: RequestOptions & { headers: string[] },
  body: Buffer | undefined,
): void {
  const { pathname, search } = parseTarget(request.url!)!;
  const clientHeaders = endToEnd(request.rawHeaders).filter(([name]) => !setHere.test(name));
  const length = body ? ['Content-Length', String(body.length)] : [];
  const headers = [...clientHeaders.flat(), ...length, ...own];
  const { method } = request;
  const sent = httpRequest({ ...server, method, path: pathname + search, headers });
  sent.on('response', (answer) => {
    const headers = endToEnd(answer.rawHeaders).flat();
    response.writeHead(answer.statusCode!, answer.statusMessage, headers);
    pipeline(answer, response, () => {});
  });
  sent.on('error', () => {
    if (response.headersSent) response.destroy();
    else refuse(response, 502, 'the server does not answer');
  });
  response.on('close', () => sent.destroy());
  sent.end(body);
}

/** Hop-by-hop headers belong to one connection. */
function endToEnd(headers: readonly string[]): [name: string, value: string][] {
  return headers.flatMap((name, index) =>
    index % 2 === 1 || hopByHop.test(name) ? [] : [[name, headers[index + 1]!]],
  );
}
