import { request } from 'node:http';
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

test('the first address becomes a cookie that no script and no other site gets', async () => {
  const first = await ask({}, desk.url);
  expect(first).toMatchObject({ status: 303, headers: { location: '/' } });
  expect(first.headers['set-cookie']).toEqual([
    expect.stringMatching(/^desk-\d+=[0-9a-f]{32}; Path=\/; HttpOnly; SameSite=Strict$/),
  ]);
  expect(await ask({ cookie })).toMatchObject({
    status: 200,
    text: 'the page',
    headers: {
      'cache-control': 'private, no-store',
      'referrer-policy': 'no-referrer',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; style-src 'self';/),
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

test('a wrong token in the address gets nothing', async () => {
  const url = new URL(desk.url);
  url.searchParams.set('token', '0'.repeat(32));
  expect(await ask({}, url.href)).toMatchObject({ status: 403 });
});

test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('writes nothing by %s', async (method) => {
  expect(await ask({ cookie }, undefined, method)).toMatchObject({ status: 405 });
});
