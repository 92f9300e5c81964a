import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Hono } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { randomHex } from '../../base/bytes/digest.ts';
import { deskHeaders } from '../../desk/headers.ts';

/**
 * The browser starts the second request from this page. It would not send the cookie after a
 * redirect that began in a file.
 */
export const pageThatOpens = (address: string) =>
  `<!doctype html>\n<title>Desk</title>\n<link rel="icon" href="/favicon.svg">\n<meta http-equiv="refresh" content="0; url=${address}">\n<a href="${address}">Open the desk</a>\n`;

/**
 * Serves the pages on loopback alone, to the browser that opens the returned address. Its token
 * works once, and becomes a cookie. Refuses everything but reading, a foreign host name, requests
 * from pages of other sites, and requests without the cookie. No request ends the server.
 */
export async function serveDesk(pages: Hono): Promise<{ url: string } & Disposable> {
  const [token, session] = [randomHex(16), randomHex(16)];
  let isOpened = false;
  const app = new Hono();
  const listen = () => createServer((request, response) => answer(app, request, response));
  const server = listen();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const servers = [server, ...(await listenOnIpv6(listen(), port))];
  // The ports of a host share cookies, and another desk may be open.
  const cookie = `desk-${port}`;
  const own = `http://127.0.0.1:${port}`;
  app.use(async (c, next) => {
    const { host, origin = own, 'sec-fetch-site': site = 'none' } = c.req.header();
    if (`http://${host}` !== own || origin !== own) return c.text('only for this desk\n', 403);
    // The file with the address counts as another site.
    if (!isOpened && isSame(c.req.query('token'), token)) {
      isOpened = true;
      setCookie(c, cookie, session, { httpOnly: true, sameSite: 'Strict', path: '/' });
      return c.html(pageThatOpens('/'));
    }
    if (!['none', 'same-origin'].includes(site)) return c.text('only for this desk\n', 403);
    if (isSame(getCookie(c, cookie), session)) return next();
    return c.text('open the file that the command printed; it works once\n', 403);
  });
  app.all('*', (c) => pages.fetch(c.req.raw));
  return {
    url: `${own}/?token=${token}`,
    [Symbol.dispose]() {
      for (const each of servers) each.close().closeAllConnections();
    },
  };
}

/** Otherwise another user's program could take this port there, as `localhost`. Some machines have no IPv6. */
async function listenOnIpv6(server: Server, port: number): Promise<Server[]> {
  try {
    await once(server.listen(port, '::1'), 'listening');
    return [server];
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(code)) return [];
    throw error;
  }
}

function isSame(text: string | undefined, secret: string): boolean {
  const [one, other] = [Buffer.from(text ?? ''), Buffer.from(secret)];
  return one.length === other.length && timingSafeEqual(one, other);
}

async function answer(app: Hono, request: IncomingMessage, response: ServerResponse) {
  const { method = '', headers } = request;
  const end = (status: number, text: string) =>
    response.writeHead(status, { ...deskHeaders, 'Content-Type': 'text/plain' }).end(text);
  if (method !== 'GET' && method !== 'HEAD') return end(405, 'only for reading\n');
  const url = URL.parse(request.url ?? '', `http://${headers.host}`);
  if (url?.username !== '' || url.password !== '') return end(400, 'not an address\n');
  try {
    const asked = new Request(url, { method, headers: headers as Record<string, string> });
    const given = await app.fetch(asked);
    const body = Buffer.from(await given.arrayBuffer());
    response.writeHead(given.status, { ...Object.fromEntries(given.headers), ...deskHeaders });
    response.end(body);
  } catch {
    end(400, 'not a request that the desk understands\n');
  }
}
