import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Hono } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { randomHex } from '../../base/bytes/digest.ts';

const securityHeaders = {
  'Cache-Control': 'private, no-store',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/**
 * Serves the pages on 127.0.0.1, to the browser that opened the returned address. Its token becomes a cookie. Refuses
 * everything but reading, a foreign host name, what a page of another site asks for, and whoever has no token.
 */
export async function serveDesk(pages: Hono): Promise<{ url: string } & Disposable> {
  const token = randomHex(16);
  const app = new Hono();
  const server = createServer((request, response) => answer(app, request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  // The ports of a host share cookies, and another desk may be open.
  const cookie = `desk-${port}`;
  const own = `http://127.0.0.1:${port}`;
  app.use(async (c, next) => {
    const { host, origin = own, 'sec-fetch-site': site = 'none' } = c.req.header();
    const isOwn = `http://${host}` === own && origin === own;
    if (!isOwn || !['none', 'same-origin'].includes(site))
      return c.text('only for this desk\n', 403);
    if (c.req.method !== 'GET' && c.req.method !== 'HEAD') return c.text('only for reading\n', 405);
    if (isSame(c.req.query('token'), token)) {
      setCookie(c, cookie, token, { httpOnly: true, sameSite: 'Strict', path: '/' });
      return c.redirect('/', 303);
    }
    if (isSame(getCookie(c, cookie), token)) return next();
    return c.text('open the address that the command printed\n', 403);
  });
  app.all('*', (c) => pages.fetch(c.req.raw));
  return {
    url: `${own}/?token=${token}`,
    [Symbol.dispose]: () => server.close().closeAllConnections(),
  };
}

function isSame(given: string | undefined, token: string): boolean {
  return given?.length === token.length && timingSafeEqual(Buffer.from(given), Buffer.from(token));
}

async function answer(app: Hono, request: IncomingMessage, response: ServerResponse) {
  const url = URL.parse(request.url ?? '', `http://${request.headers.host}`);
  if (!url) return response.writeHead(400).end();
  const { method = 'GET', headers } = request;
  const asked = new Request(url, { method, headers: headers as Record<string, string> });
  const given = await app.fetch(asked);
  response.writeHead(given.status, { ...Object.fromEntries(given.headers), ...securityHeaders });
  response.end(Buffer.from(await given.arrayBuffer()));
}
