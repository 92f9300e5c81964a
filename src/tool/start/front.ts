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
import { frontHeader } from '../local/http-bindings.ts';

const notPassedOn =
  /^(connection|keep-alive|proxy-connection|te|trailer|upgrade|expect|cf-connecting-ip|registry-front-token|mf-.*)$/i;

/** Wrangler's path that runs the scheduled work at once. Running it twice does no harm. */
export const cronPath = '/cdn-cgi/handler/scheduled';

/**
 * Listens for `npm start` in front of wrangler's server, as Cloudflare's edge does in front of a deployment: sets
 * `CF-Connecting-IP`. Where only this machine can connect, a program may name another address in that header;
 * elsewhere the header is ignored. Refuses a request from this machine for a foreign host name (DNS rebinding), and
 * what a page of another site asks of the scheduled work or of a sandbox. Throws the error of `listen`. `open` sends
 * the requests that wait, and all later ones, to the server at an address.
 */
export async function listenInFront(ip: string, port: number, token: string) {
  const { promise: opened, resolve: open } = Promise.withResolvers<string>();
  const agent = new Agent({ keepAlive: true, timeout: 2_000 });
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const refuse = (status: number, reason: string) =>
      response.writeHead(status, { 'Content-Type': 'text/plain' }).end(`${reason}\n`);
    const refusal = refusalOf(request);
    if (refusal !== undefined) return refuse(403, refusal);
    const address = (isLocal(ip) && request.headers['cf-connecting-ip']) || callerOf(request);
    const own = ['CF-Connecting-IP', String(address), frontHeader, token];
    const { hostname, port } = new URL(await opened);
    try {
      forward(request, response, { hostname, port, agent }, own);
    } catch {
      // Node sends no request whose headers contradict each other, though it accepts one.
      refuse(400, 'not a request that can be passed on');
    }
  };
  const listen = async (host: string, port: number) => {
    // An upload may take longer than Node's five minutes. Wrangler's server alone keeps the process running.
    const server = createServer({ requestTimeout: 0 }, answer).listen(port, host).unref();
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  if (ip !== 'localhost') return { port: await listen(ip, port), open };
  const taken = await listen('127.0.0.1', port);
  await listen('::1', taken).catch((error: NodeJS.ErrnoException) => {
    // The machine has no IPv6.
    if (error.code !== 'EADDRNOTAVAIL' && error.code !== 'EAFNOSUPPORT') throw error;
  });
  return { port: taken, open };
}

function refusalOf(request: IncomingMessage): string | undefined {
  const { url = '', headers } = request;
  const target = parseTarget(url);
  if (!target) return 'not a path';
  const isFromHere = isLocal(callerOf(request));
  // Wrangler has pages of its own below these, such as its explorer of the data.
  const isWranglers = /^\/(cdn-cgi|__cf_local)(\/|$)/.test(target.pathname);
  if (isWranglers && !(isFromHere && target.pathname === cronPath)) {
    return 'not a path of the registry';
  }
  if (isPrivilegedPath(target) && isOfOtherSite(headers)) return 'not for pages of other sites';
  if (!isFromHere) return undefined;
  const host = URL.parse(`http://${headers.host}`)?.hostname.replace(/^\[|\]$/g, '');
  return host && (isLocal(host) || isIP(host)) ? undefined : 'only for localhost and addresses';
}

/** Whether a call of the path does an operator's work without a login: the scheduled work, or a sandbox's calls. */
function isPrivilegedPath({ pathname }: URL): boolean {
  if (pathname === cronPath) return true;
  try {
    // The application decodes the path as well.
    return /^\/sandbox(\/|$)/.test(decodeURI(pathname));
  } catch {
    return false;
  }
}

/** Whether the browser sends the request for a page of another site or of another port. */
function isOfOtherSite({ host, origin, ...headers }: IncomingHttpHeaders): boolean {
  if (origin !== undefined && origin.replace(/^https?:\/\//, '') !== host) return true;
  return /^(cross|same)-site$/.test(String(headers['sec-fetch-site']));
}

/** Resolves dot segments, so that the server sees the path that was judged. */
function parseTarget(url: string): URL | undefined {
  return URL.parse(url.startsWith('/') ? `http://localhost${url}` : url) ?? undefined;
}

const loopback = parseAddressList(['127.0.0.0/8', '::1']);

/** Whether the host, a name or an address, can be reached from this machine only. */
export function isLocal(host: string): boolean {
  if (isIP(host) === 0) return /(^|\.)localhost$/.test(host);
  return loopback.includes(host);
}

/** The peer's address, without IPv6's prefix of an IPv4 address and without the name of a network interface. */
function callerOf({ socket }: IncomingMessage): string {
  return (socket.remoteAddress ?? '::').replace(/^::ffff:(?=.*\.)|%.*/g, '');
}

function forward(
  request: IncomingMessage,
  response: ServerResponse,
  server: RequestOptions,
  ownHeaders: readonly string[],
): void {
  const { pathname, search } = parseTarget(request.url!)!;
  const headers = [...endToEnd(request.rawHeaders), ...ownHeaders];
  const { method } = request;
  const sent = httpRequest({ ...server, method, path: pathname + search, headers });
  sent.on('response', (answer) => {
    response.sendDate = false;
    response.writeHead(answer.statusCode!, answer.statusMessage, endToEnd(answer.rawHeaders));
    pipeline(answer, response, () => {});
  });
  sent.on('error', () => {
    if (response.headersSent) response.destroy();
    else response.writeHead(502).end('the server does not answer\n');
  });
  response.on('close', () => sent.destroy());
  request.pipe(sent);
}

/** The headers, names and values in turn, without hop-by-hop ones and those that only the edge may set. */
function endToEnd(headers: readonly string[]): string[] {
  return headers.flatMap((name, index) =>
    index % 2 === 1 || notPassedOn.test(name) ? [] : [name, headers[index + 1]!],
  );
}
