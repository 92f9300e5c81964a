import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
  request,
} from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listenInFront } from '../../src/dev/start/front.ts';
import { maximumBatchBytes } from '../../src/worker/http/request/input.ts';

/** Answers with what arrived, or with a compressed body below /compressed; without a Date, as the local runtime. */
const server = createServer(async (asked, answer) => {
  answer.sendDate = false;
  if (asked.url === '/compressed') {
    answer.writeHead(200, { 'Content-Encoding': 'gzip', ETag: 'W/"1"' }).end(gzipSync('names'));
    return;
  }
  const { method, url, headers } = asked;
  answer.end(JSON.stringify({ method, url, headers, body: await text(asked) }));
});
let port: number;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const front = await listenInFront('localhost', 0, 'secret');
  front.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  port = front.port;
});

afterAll(() => server.close());

async function send(options: RequestOptions, body?: string): Promise<IncomingMessage> {
  const sent = request({ host: '127.0.0.1', port, ...options });
  sent.end(body);
  const [answer] = await once(sent, 'response');
  return answer;
}

interface Arrived {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

async function arrived(options: RequestOptions, body?: string): Promise<Arrived> {
  return JSON.parse(await text(await send(options, body)));
}

async function statusOf(options: RequestOptions): Promise<number> {
  const answer = await send(options);
  answer.resume();
  return answer.statusCode!;
}

test('sets the address of the caller', async () => {
  const { headers } = await arrived({ headers: { 'MF-CF-Blob': '{}', 'X-Own': 'kept' } });
  expect(headers).toMatchObject({ 'cf-connecting-ip': '127.0.0.1', 'x-own': 'kept' });
  expect(headers['mf-cf-blob']).toBeUndefined();
});

test.each([
  ['localhost', '203.0.113.9'],
  ['0.0.0.0', '127.0.0.1'],
])(
  'listening on %s, passes on the caller that claims another address as %s',
  async (ip, address) => {
    const front = await listenInFront(ip, 0, 'secret');
    front.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const { headers } = await arrived({
      port: front.port,
      headers: { 'CF-Connecting-IP': '203.0.113.9' },
    });
    expect(headers['cf-connecting-ip']).toBe(address);
  },
);

test('proves to the server that a request came through it, whatever the client says', async () => {
  const { headers } = await arrived({ headers: { 'Registry-Front-Token': 'guess' } });
  expect(headers['registry-front-token']).toBe('secret');
});

test('passes on method, path, query and body', async () => {
  const options = { method: 'PATCH', path: '/api/v1/auctions/%C3%B5?a=b%20c' };
  const { method, url, body } = await arrived(options, '{"status": "õ"}');
  expect({ method, url, body }).toEqual({
    method: 'PATCH',
    url: options.path,
    body: '{"status": "õ"}',
  });
});

test('passes on the length of a body that came in chunks, and of a long one more than any interface takes', async () => {
  const lengthOf = async (bytes: number) => {
    const { headers, body } = await arrived(
      { method: 'POST', headers: { 'Transfer-Encoding': 'chunked' } },
      'a'.repeat(bytes),
    );
    expect(headers['transfer-encoding']).toBeUndefined();
    expect(headers['content-length']).toBe(String(body.length));
    return body.length;
  };
  expect(await lengthOf(10)).toBe(10);
  expect(await lengthOf(maximumBatchBytes)).toBe(maximumBatchBytes);
  const long = await lengthOf(20_000_000);
  expect(long).toBeGreaterThan(maximumBatchBytes);
  expect(long).toBeLessThan(1_000_000);
});

test('passes back a compressed answer as it is', async () => {
  const answer = await send({ path: '/compressed' });
  expect(answer.headers).toMatchObject({ 'content-encoding': 'gzip', etag: 'W/"1"' });
  expect(await buffer(answer)).toEqual(gzipSync('names'));
});

test('dates an answer, as the edge does', async () => {
  const answer = await send({ path: '/compressed' });
  answer.resume();
  expect(answer.headers.date).toMatch(/ GMT$/);
});

test.each([
  ['/cdn-cgi/explorer/api/d1/database'],
  ['/cdn-cgi/handler/email'],
  ['/x/../cdn-cgi/local/explorer'],
  ['/%2e/cdn-cgi/local/explorer'],
  ['/__cf_local/stream'],
])('hides the path %s of the local runtime', async (path) => {
  expect(await statusOf({ path })).toBe(403);
});

test('lets a program on this machine run the scheduled work', async () => {
  expect(await statusOf({ path: '/cdn-cgi/handler/scheduled?cron=31+*+*+*+*' })).toBe(200);
});

test.each([
  ['localhost:8787', 200],
  ['[::1]:8787', 200],
  ['192.168.1.2', 200],
  ['registry.localhost', 200],
  ['evil.example:8787', 403],
  ['localhost.evil.example', 403],
])('answers a browser on this machine that asks the host %s with %i', async (Host, status) => {
  expect(await statusOf({ headers: { Host } })).toBe(status);
});

const cronPath = '/cdn-cgi/handler/scheduled?cron=31+*+*+*+*';

test.each([
  ['POST', '/sandbox/reset', { 'Sec-Fetch-Site': 'cross-site' }],
  ['POST', '/sandbox/reset', { 'Sec-Fetch-Site': 'same-site' }],
  ['POST', '/sandbox/reset/', { Origin: 'https://evil.example' }],
  ['POST', '/sandbox/clock', { Origin: 'http://localhost:1' }],
  ['POST', '/sandbox/clock', { Origin: 'null' }],
  ['POST', '/%73andbox/clock', { Origin: 'https://evil.example' }],
  ['POST', '/x/../sandbox/clock', { Origin: 'https://evil.example' }],
  ['GET', cronPath, { 'Sec-Fetch-Site': 'cross-site' }],
])('refuses %s %s to a page of another site (%j)', async (method, path, headers) => {
  expect(await statusOf({ method, path, headers })).toBe(403);
});

test.each([
  ['POST', '/sandbox/reset', {}],
  ['POST', '/sandbox/reset', { Host: 'localhost:80', Origin: 'http://localhost:80' }],
  ['POST', '/sandbox/reset', { 'Sec-Fetch-Site': 'same-origin' }],
  ['GET', cronPath, { 'Sec-Fetch-Site': 'none' }],
])(
  'lets %s %s of programs, of its own pages and of the address bar through (%j)',
  async (method, path, headers) => {
    expect(await statusOf({ method, path, headers })).toBe(200);
  },
);

test('lets a page of any host call, as in a deployment: the answer says what it may read', async () => {
  const headers = { Host: 'localhost', Origin: 'https://names.example' };
  expect(await statusOf({ method: 'POST', headers })).toBe(200);
});

test.each([
  'Trailer: X\r\n',
  'Transfer-Encoding: gzip, chunked\r\n',
  'Content-Length: 5\r\nExpect: 100-continue\r\n',
  'X-Bytes: \x80\xff\r\nTE: trailers\r\n',
])('the front goes on after a request with the headers %j', async (headers) => {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.end(`GET / HTTP/1.1\r\nHost: localhost\r\n${headers}Connection: close\r\n\r\n`, 'latin1');
  socket.resume();
  await once(socket, 'close');
  expect(await statusOf({})).toBe(200);
});

test('lets requests wait until the server is ready', async () => {
  const front = await listenInFront('127.0.0.1', 0, 'secret');
  const waiting = arrived({ port: front.port, path: '/early' });
  front.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  expect(await waiting).toMatchObject({ url: '/early' });
});

test('answers 503 with what is wrong, also the requests that wait, until it is mended', async () => {
  const front = await listenInFront('127.0.0.1', 0, 'secret');
  const early = send({ port: front.port });
  // Another request has come and gone, so this one has come too.
  expect(await statusOf({ port: front.port, path: '/cdn-cgi/explorer' })).toBe(403);
  front.report('src/index.ts:1:1: Unexpected "!"');
  const refused = await early;
  expect(refused.statusCode).toBe(503);
  expect(await text(refused)).toBe('src/index.ts:1:1: Unexpected "!"\n');
  front.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  expect(await statusOf({ port: front.port })).toBe(503);
  front.report(undefined);
  expect(await statusOf({ port: front.port })).toBe(200);
});

test('answers 502 if the server is gone', async () => {
  const front = await listenInFront('127.0.0.1', 0, 'secret');
  front.open('http://127.0.0.1:1');
  expect(await statusOf({ port: front.port })).toBe(502);
});

test('takes a port once', async () => {
  await expect(listenInFront('localhost', port, 'secret')).rejects.toThrow('EADDRINUSE');
});

test('a client that leaves while it waits for the server harms nobody', async () => {
  const front = await listenInFront('localhost', 0, 'secret');
  const client = request({ host: '127.0.0.1', port: front.port }).on('error', () => {});
  await new Promise<void>((sent) => client.end(sent));
  // Answered without the server, so the front has the first request, and then its end.
  const refused = () => statusOf({ port: front.port, headers: { Host: 'names.example' } });
  expect(await refused()).toBe(403);
  client.destroy();
  expect(await refused()).toBe(403);

  front.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);

  const answer = await send({ port: front.port });
  expect(JSON.parse(await text(answer)).method).toBe('GET');
});
