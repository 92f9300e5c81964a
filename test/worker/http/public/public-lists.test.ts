import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { beforeEach, expect, test } from 'vitest';
import { openBlock } from '../../../../src/list/format/block.ts';
import { blockKey } from '../../../../src/list/kv.ts';
import { acceptsGzip } from '../../../../src/worker/http/public/answer.ts';
import { published } from '../../../list/published.ts';
import {
  addAuction,
  addDispute,
  addRetainedDomain,
  emptyLists,
} from '../../../support/fixtures.ts';
import { onTheWire } from '../../../support/wire.ts';
import { shareEmptyWorker } from '../../../support/worker.ts';

const worker = shareEmptyWorker();
const json = { 'Content-Type': 'application/json' };
const auctionsPath = '/repp/v1/auctions';
const retainedPath = '/repp/v1/retained_domains';

let isEmpty = false;

/** Empties the lists and publishes them, as the scheduled run does; the isolate then forgets what it remembers. */
beforeEach(async () => {
  if (isEmpty) return;
  await emptyLists(worker.env);
  await worker.scheduled('1 0 * * *');
  isEmpty = true;
});

/** Publishes what a test has added. */
async function publish(): Promise<void> {
  isEmpty = false;
  await worker.scheduled('31 * * * *');
}

async function etagOf(path: string): Promise<string> {
  return (await worker.fetch(path)).headers.get('ETag')!;
}

test('lists the auctions in progress', async () => {
  await addAuction(worker.env, { name: 'pürasid.ee', punycode: 'xn--prasid-n2a.ee' });
  await addAuction(worker.env, { name: 'sold.ee', status: 'domain_registered' });
  await publish();
  const response = await worker.fetch(auctionsPath);
  expect(response.status).toBe(200);
  expect(response.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
  expect(await response.json()).toEqual({
    count: 1,
    auctions: [{ domain_name: 'pürasid.ee', punycode_domain_name: 'xn--prasid-n2a.ee' }],
  });
});

test('lists the retained domains of every type', async () => {
  await addRetainedDomain(worker.env, { name: 'a.ee', status: 'blocked' });
  await addRetainedDomain(worker.env, { name: 'b.ee', status: 'reserved' });
  await addDispute(worker.env, { name: 'b.ee' });
  await publish();
  const response = await worker.fetch(retainedPath);
  expect(await response.json()).toEqual({
    count: 3,
    domains: [
      { name: 'a.ee', status: 'blocked', punycode_name: 'a.ee' },
      { name: 'b.ee', status: 'disputed', punycode_name: 'b.ee' },
      { name: 'b.ee', status: 'reserved', punycode_name: 'b.ee' },
    ],
  });
});

test.each(['reserved', 'blocked', 'disputed'])('lists only the %s domains', async (type) => {
  await addRetainedDomain(worker.env, { name: 'reserved.ee', status: 'reserved' });
  await addRetainedDomain(worker.env, { name: 'blocked.ee', status: 'blocked' });
  await addDispute(worker.env, { name: 'disputed.ee' });
  await publish();
  const response = await worker.fetch(`${retainedPath}?type=${type}`);
  expect(await response.json()).toEqual({
    count: 1,
    domains: [{ name: `${type}.ee`, status: type, punycode_name: `${type}.ee` }],
  });
});

test.each(['?type=', '?type=Blocked'])('refuses %s, never to be cached', async (query) => {
  const response = await worker.fetch(retainedPath + query);
  expect(response.status).toBe(400);
  expect(response.headers.get('Cache-Control')).toBe('private, no-store');
  expect(await response.json()).toEqual({
    errors: { type: ['is not included in the list'] },
    detail: 'Expected: one of reserved, blocked, disputed.',
  });
});

test.each(['type', 'as_of', 'since'])('says of %s that it is given twice', async (name) => {
  const path = retainedPath + (name === 'since' ? '/changes' : '');
  const response = await worker.fetch(`${path}?${name}=blocked&${name}=blocked`);
  expect([response.status, await response.json()]).toEqual([
    400,
    { errors: { [name]: ['is given twice'] } },
  ]);
});

test('says on both 200 and 304 how long a list is fresh, and lets any web page read it', async () => {
  const fresh = await worker.fetch(retainedPath);
  const etag = fresh.headers.get('ETag')!;
  const revalidated = await worker.fetch(retainedPath, { headers: { 'If-None-Match': etag } });
  expect([fresh.status, revalidated.status]).toEqual([200, 304]);
  for (const { headers } of [fresh, revalidated]) {
    expect(headers.get('ETag')).toMatch(/^W\/"[0-9a-f]{32}"$/);
    expect(headers.get('Cache-Control')).toBe('public, max-age=15, stale-if-error=86400');
    expect(headers.get('Vary')).toBe('Accept-Encoding');
    expect(headers.get('Cache-Tag')).toBe('list-all');
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
  }
  expect(fresh.headers.get('X-Content-Type-Options')).toBe('nosniff');
  expect(await revalidated.text()).toBe('');
});

test('lets scripts of any page read the headers of its own, on a refusal as well', async () => {
  const etag = await etagOf(retainedPath);
  const lookup = { method: 'POST', body: '{"names":["a.ee"],"color":"red"}' };
  const calls: [path: string, status: number, init?: RequestInit][] = [
    [`${retainedPath}?color=red`, 200],
    [`${retainedPath}?color=red`, 304, { headers: { 'If-None-Match': etag } }],
    [`${retainedPath}/a.ee?color=red`, 200],
    [`${retainedPath}/lookup?color=red`, 200, { ...lookup, headers: json }],
    [`${retainedPath}?type=x`, 400],
  ];
  for (const [path, status, init] of calls) {
    const { status: answered, headers } = await worker.fetch(path, init);
    expect(answered).toBe(status);
    expect(headers.get('Access-Control-Expose-Headers')).toBe(
      'ETag, Ignored-Fields, Ignored-Parameters, Link, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
    );
    if (status < 400) expect(headers.get('Ignored-Parameters')).toBe('color');
    expect(headers.get('Ignored-Fields')).toBe(init?.method === 'POST' ? 'color' : null);
  }
});

test.each([
  ['as the ETag was sent', (etag: string) => etag],
  ['by way of the application', (etag: string) => `"x", ${etag}`],
])('answers 304 %s without the headers that only protect a body', async (_, header) => {
  const etag = await etagOf(retainedPath);
  const response = await worker.fetch(retainedPath, {
    headers: { 'If-None-Match': header(etag) },
  });
  expect(response.status).toBe(304);
  // The harness adds a header of its own.
  const names = [...response.headers.keys()].filter((name) => !name.startsWith('mf-'));
  expect(names.sort()).toEqual([
    'access-control-allow-origin',
    'access-control-expose-headers',
    'cache-control',
    'cache-tag',
    'etag',
    'vary',
    'x-request-id',
  ]);
});

test('gives each type its own ETag', async () => {
  const paths = ['', '?type=reserved', '?type=blocked', '?type=disputed'];
  const etags = await Promise.all(paths.map((query) => etagOf(retainedPath + query)));
  expect(new Set([...etags, await etagOf(auctionsPath)]).size).toBe(5);
});

test.each([
  ['the tag', (tag: string) => `W/${tag}`],
  ['the tag as a strong one', (tag: string) => tag],
  ['one of several', (tag: string) => `"x", W/${tag} , W/"y"`],
  ['one behind a tag with a comma', (tag: string) => `"a,b",W/${tag}`],
  ['one behind what is no tag', (tag: string) => `nonsense, "half, W/${tag}`],
  ['one between empty elements', (tag: string) => `, ,${tag},,`],
  ['a star', () => '*'],
  ['a star among white space', () => ' * '],
])('a list is unchanged for If-None-Match with %s', async (_, header) => {
  const tag = (await etagOf(retainedPath)).slice('W/'.length);
  const response = await worker.fetch(retainedPath, { headers: { 'If-None-Match': header(tag) } });
  expect(response.status).toBe(304);
});

test.each([
  ['another tag', () => 'W/"00000000000000000000000000000000"'],
  ['the tag without quotes', (tag: string) => tag.slice(1, -1)],
  ['the tag inside another one', (tag: string) => `"a,${tag.slice(1, -1)},b"`],
  ['the tag behind other characters', (tag: string) => `x${tag}`],
  ['a lower-case weakness', (tag: string) => `w/${tag}`],
  ['a star among tags', () => '"x", *'],
  ['an open quote', (tag: string) => tag.slice(0, -1)],
  ['nothing', () => ''],
])('a list is sent whole for If-None-Match with %s', async (_, header) => {
  const tag = (await etagOf(retainedPath)).slice('W/'.length);
  const response = await worker.fetch(retainedPath, { headers: { 'If-None-Match': header(tag) } });
  expect(response.status).toBe(200);
});

const namePath = `${retainedPath}/a.ee`;
const historyPath = `${namePath}/history`;

test.each([auctionsPath, namePath, historyPath])('answers HEAD as GET for %s', async (path) => {
  const get = await worker.fetch(path);
  const head = await onTheWire(worker.url, path, { method: 'HEAD' });
  expect([head.status, head.headers.etag, head.body]).toEqual([200, get.headers.get('ETag'), '']);
  const headers = { 'If-None-Match': get.headers.get('ETag')! };
  expect((await onTheWire(worker.url, path, { method: 'HEAD', headers })).status).toBe(304);
});

test('answers a preflight', async () => {
  const response = await onTheWire(worker.url, retainedPath, {
    method: 'OPTIONS',
    headers: {
      Origin: 'https://example.com',
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': 'if-none-match',
    },
  });
  expect(response.status).toBe(204);
  expect(response.headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, HEAD, OPTIONS',
    'access-control-allow-headers': 'if-none-match',
  });
});

test('sends the stored blocks as they are to a client that accepts gzip', async () => {
  await addRetainedDomain(worker.env);
  await publish();
  const headers = { 'Accept-Encoding': 'gzip' };
  const response = await onTheWire(worker.url, retainedPath, { headers });
  expect(response.headers['content-encoding']).toBe('gzip');
  const { head, metadata } = await published(worker.env, 'all');
  const block = await worker.env.LISTS.get(blockKey('all', head!.blocks[0]!), 'arrayBuffer');
  expect(response.bytes.includes(Buffer.from(openBlock(block!).data))).toBe(true);
  expect(response.bytes.length).toBe(metadata!.bytes);
  expect(response.headers['cloudflare-cdn-cache-control']).toBeUndefined();
  expect(JSON.parse(gunzipSync(response.bytes).toString()).count).toBe(1);
});

test('sends plain JSON to a client that does not accept gzip', async () => {
  await addRetainedDomain(worker.env);
  await publish();
  const response = await onTheWire(worker.url, retainedPath);
  expect(response.headers['content-encoding']).toBeUndefined();
  expect(JSON.parse(response.body).count).toBe(1);
  // The platform's cache in front of the Worker cannot tell this answer from the compressed one.
  expect(response.headers['cloudflare-cdn-cache-control']).toBe('no-store');
});

test.each([
  ['gzip', true],
  ['GZIP', true],
  ['x-gzip', true],
  ['br, gzip;q=0.1', true],
  ['*', true],
  ['br', false],
  ['gzip;q=0', false],
  ['gzip;q=0.000, *', false],
  ['*;q=0', false],
  ['', false],
])('accepts gzip for Accept-Encoding %j of a client: %s', (header, isAccepted) => {
  const direct = new Request('http://localhost/', { headers: { 'Accept-Encoding': header } });
  expect(acceptsGzip(direct)).toBe(isAccepted);
  const atTheEdge = Object.assign(
    new Request('http://localhost/', { headers: { 'Accept-Encoding': 'br, gzip' } }),
    { cf: { clientAcceptEncoding: header } },
  );
  expect(acceptsGzip(atTheEdge)).toBe(isAccepted);
  const kept = new Request('http://localhost/', { headers: { 'Accept-Encoding': header } });
  expect(acceptsGzip(Object.assign(kept, { cf: { colo: 'TLL' } }))).toBe(isAccepted);
});

test('the document says how long the cache keeps a list before a change is seen', async () => {
  const { headers } = await worker.fetch(auctionsPath);
  const [, seconds] = /max-age=(\d+)/.exec(headers.get('Cache-Control')!)!;
  const { tags } = JSON.parse(readFileSync('.wrangler/assets/openapi.json', 'utf8'));
  const { description } = tags.find(({ name }: { name: string }) => name === 'Public lists');
  expect(description).toContain(
    `until it is seen everywhere, the cache’s ${seconds} seconds and up to 60`,
  );
});
