import { once } from 'node:events';
import { request } from 'node:http';
import { connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { Hono } from 'hono';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveDesk } from '../../src/tool/desk/server.ts';

const pages = new Hono();
pages.get('/', (c) => c.text('the page')).notFound((c) => c.text('no such page', 404));
let desk: Awaited<ReturnType<typeof serveDesk>>;
let cookie: string;

beforeAll(async () => {
  desk = await serveDesk(pages);
  cookie = (await ask({}, desk.url)).headers['set-cookie']![0]!.split(';')[0]!;
});
afterAll(() => desk[Symbol.dispose]());

/** Node's own client, because `fetch` sets some of these headers itself. */
async function ask(
  headers: Record<string, string>,
  url = new URL('/', desk.url).href,
  method = 'GET',
) {
  const { promise, resolve, reject } = Promise.withResolvers<import('node:http').IncomingMessage>();
  request(url, { method, headers }, resolve).on('error', reject).end();
  const answer = await promise;
  const chunks = await answer.toArray();
  return {
    status: answer.statusCode,
    headers: answer.headers,
    text: Buffer.concat(chunks).toString(),
  };
}

test('the first address becomes a cookie that no script and no other site gets, and opens the page', async () => {
  using own = await serveDesk(pages);
  // A browser counts the file with the address as another site.
  const first = await ask({ 'sec-fetch-site': 'cross-site' }, own.url);
  expect(first).toMatchObject({ status: 200, text: expect.stringContaining('url=/"') });
  expect(first.headers['set-cookie']).toEqual([
    expect.stringMatching(/^desk-\d+=[0-9a-f]{32}; Path=\/; HttpOnly; SameSite=Strict$/),
  ]);
  expect(first.headers['set-cookie']![0]).not.toContain(new URL(own.url).searchParams.get('token'));
  expect(await ask({ cookie })).toMatchObject({
    status: 200,
    text: 'the page',
    headers: {
      'cache-control': 'private, no-store',
      'referrer-policy': 'no-referrer',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; style-src 'self'; script-src 'self'; img-src/,
      ),
    },
  });
});

test.each([
  ['no token', {}],
  ['a wrong token', { cookie: `desk-1=${'0'.repeat(32)}` }],
  ['a foreign host name', { cookie: 'own', host: 'registry.example:80' }],
  ['a page of another site', { cookie: 'own', origin: 'https://registry.example' }],
  ['a link on another site', { cookie: 'own', 'sec-fetch-site': 'cross-site' }],
  ['a page on another port', { cookie: 'own', 'sec-fetch-site': 'same-site' }],
])('%s gets nothing', async (_, headers: Record<string, string>) => {
  const answer = await ask(headers.cookie === 'own' ? { ...headers, cookie } : headers);
  expect(answer.status).toBe(403);
  expect(answer.text).not.toContain('the page');
  expect(answer.headers).toMatchObject({ 'cache-control': 'private, no-store' });
  expect(answer.headers).not.toHaveProperty('set-cookie');
});

test('an unknown address gets the answer of the pages', async () => {
  const answer = await ask({ cookie }, new URL('/nowhere', desk.url).href);
  expect(answer).toMatchObject({ status: 404, text: 'no such page' });
});

test.each(['0'.repeat(32), 'õ'.repeat(32), ''])(
  'the wrong token %s in the address gets nothing',
  async (token) => {
    using own = await serveDesk(pages);
    const url = new URL(own.url);
    url.searchParams.set('token', token);
    expect(await ask({}, url.href)).toMatchObject({ status: 403 });
  },
);

test('the address works once', async () => {
  expect(await ask({}, desk.url)).toMatchObject({ status: 403 });
});

test('nobody else can take the port for localhost', async () => {
  const server = createServer().listen({ port: Number(new URL(desk.url).port), host: '::1' });
  const [error] = await once(server, 'error').catch((error) => [error]);
  expect(error.code).toMatch(/EADDRINUSE|EADDRNOTAVAIL/);
});

test.each([
  ['an address with a user', 'GET http://a:b@127.0.0.1/ HTTP/1.1'],
  ['a method that no page may use', 'TRACE / HTTP/1.1'],
  ['a header that is none', 'GET / HTTP/1.1\r\nX: a\u0001b'],
  ['an address that is none', 'GET //[ HTTP/1.1'],
])('%s ends no desk', async (_, request) => {
  const { port, host } = new URL(desk.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.end(`${request}\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  expect(await text(socket)).toMatch(/^HTTP\/1.1 40[05] /);
  expect(await ask({ cookie })).toMatchObject({ status: 200 });
});

test.each(['POST', 'OPTIONS'])('writes nothing by %s', async (method) => {
  expect(await ask({ cookie }, undefined, method)).toMatchObject({ status: 405 });
});
