import { beforeEach, expect, test } from 'vitest';
import {
  addAuction,
  addDispute,
  addRetainedDomain,
  emptyLists,
} from '../../../support/fixtures.ts';
import { shareEmptyWorker } from '../../../support/worker.ts';

const worker = shareEmptyWorker();
const retained = '/repp/v1/retained_domains';
const auctions = '/repp/v1/auctions';
const publish = () => worker.scheduled('31 * * * *');

beforeEach(async () => {
  await emptyLists(worker.env);
  await publish();
});

const etagOf = async (path: string) => (await worker.fetch(path)).headers.get('ETag')!;

async function changesOf(path: string, since: string, headers: Record<string, string> = {}) {
  const [base, query] = path.split('?');
  const type = query ? `&${query}` : '';
  const url = `${base}/changes?since=${encodeURIComponent(since)}${type}`;
  const response = await worker.fetch(url, { headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text && JSON.parse(text) };
}

test('tells what was added and removed since, in the form and order of the list', async () => {
  await addRetainedDomain(worker.env, { name: 'stays.ee' });
  await addRetainedDomain(worker.env, { name: 'goes.ee', status: 'blocked' });
  await publish();
  const since = await etagOf(retained);
  await worker.env.DB.prepare("delete from retained_domains where name = 'goes.ee'").run();
  await addRetainedDomain(worker.env, { name: 'b.ee', status: 'reserved' });
  await addDispute(worker.env, { name: 'b.ee' });
  await publish();
  await addRetainedDomain(worker.env, { name: 'a.ee', status: 'blocked' });
  await publish();

  const { status, body } = await changesOf(retained, since);

  expect(status).toBe(200);
  expect(body).toEqual({
    since,
    current: await etagOf(retained),
    added: [
      { name: 'a.ee', status: 'blocked', punycode_name: 'a.ee' },
      { name: 'b.ee', status: 'disputed', punycode_name: 'b.ee' },
      { name: 'b.ee', status: 'reserved', punycode_name: 'b.ee' },
    ],
    removed: [{ name: 'goes.ee', status: 'blocked', punycode_name: 'goes.ee' }],
  });
});

test('tells only the changes of the type', async () => {
  const path = `${retained}?type=blocked`;
  const since = await etagOf(path);
  await addRetainedDomain(worker.env, { name: 'r.ee', status: 'reserved' });
  await addRetainedDomain(worker.env, { name: 'b.ee', status: 'blocked' });
  await publish();
  const { body } = await changesOf(path, since);
  expect(body.added).toEqual([{ name: 'b.ee', status: 'blocked', punycode_name: 'b.ee' }]);
  expect(body.current).toBe(await etagOf(path));
});

test('tells the changes of the auctions', async () => {
  const since = await etagOf(auctions);
  await addAuction(worker.env, { name: 'kohv.ee' });
  await publish();
  expect((await changesOf(auctions, since)).body.added).toEqual([
    { domain_name: 'kohv.ee', punycode_domain_name: 'kohv.ee' },
  ]);
});

test('tells of nothing what came and went', async () => {
  const since = await etagOf(auctions);
  await addAuction(worker.env, { name: 'kohv.ee' });
  await publish();
  await worker.env.DB.prepare('delete from auctions').run();
  await publish();
  const { body } = await changesOf(auctions, since);
  expect(body).toEqual({ since, current: since, added: [], removed: [] });
});

test.each([
  ['with quotes', (tag: string) => `"${tag}"`],
  ['with W/ and without quotes', (tag: string) => `W/${tag}`],
  ['bare', (tag: string) => tag],
])('takes the ETag %s', async (_, written) => {
  const since = await etagOf(auctions);
  const { status, body } = await changesOf(auctions, written(since.slice(3, -1)));
  expect([status, body.since]).toEqual([200, since]);
});

test('answers 410 for an unknown tag, never to be cached', async () => {
  const since = '0123456789abcdef0123456789abcdef';
  const { status, body, headers } = await changesOf(auctions, since);
  expect(status).toBe(410);
  expect(body).toEqual({ errors: { since: ['is no longer available; fetch the whole list'] } });
  expect(headers.get('Cache-Control')).toBe('private, no-store');
  expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
});

const detail = 'Expected: the ETag of the list that you hold.';

test.each([
  'W/""',
  'W/"0123456789ABCDEF0123456789ABCDEF"',
  '"0123456789abcdef0123456789abcdef-gzip"',
  '"0123456789abcdef0123456789abcdef',
])('refuses %j, which no list has had as its ETag', async (since) => {
  const { status, body, headers } = await changesOf(auctions, since);
  expect([status, body]).toEqual([
    400,
    { errors: { since: ['is not the ETag of a list'] }, detail },
  ]);
  expect(headers.get('Cache-Control')).toBe('private, no-store');
});

test.each(['', '?since='])('says what is missing in %j', async (query) => {
  const none = await worker.fetch(`${auctions}/changes${query}`);
  expect([none.status, await none.json()]).toEqual([
    400,
    { errors: { since: ['parameter is required'] }, detail },
  ]);
});

test('refuses an unknown type', async () => {
  expect((await changesOf(`${retained}?type=free`, 'x')).status).toBe(400);
});

test.each([auctions, retained, `${retained}?type=disputed`])(
  'the list at %s links to its changes since the content that it has',
  async (path) => {
    const { headers } = await worker.fetch(path);
    const [, link = ''] = /^<(\/[^>]+)>; rel="monitor"$/.exec(headers.get('Link') ?? '') ?? [];
    await addAuction(worker.env);
    await addDispute(worker.env);
    await publish();
    const response = await worker.fetch(link);
    const { since, current, added } = await response.json<Record<string, unknown[]>>();
    expect([since, current]).toEqual([headers.get('ETag'), await etagOf(path)]);
    expect(added).toHaveLength(1);
  },
);

test('a 304 and the changes themselves have no link', async () => {
  const since = await etagOf(auctions);
  const known = await worker.fetch(auctions, { headers: { 'If-None-Match': since } });
  const { headers } = await changesOf(auctions, since);
  expect([known.status, known.headers.get('Link'), headers.get('Link')]).toEqual([304, null, null]);
});

test('sends the changes with the cache headers of the list, and answers 304 until the list changes', async () => {
  const since = await etagOf(auctions);
  const { headers } = await changesOf(auctions, since);
  expect(headers.get('Cache-Control')).toBe('public, max-age=15, stale-if-error=86400');
  expect(headers.get('Cache-Tag')).toBe('list-auctions');
  expect(headers.get('ETag')).toBe(since);
  expect((await changesOf(auctions, since, { 'If-None-Match': since })).status).toBe(304);
  await addAuction(worker.env);
  await publish();
  expect((await changesOf(auctions, since, { 'If-None-Match': since })).status).toBe(200);
});

test('keeps the changes of the last thirty publications', async () => {
  const tags = [await etagOf(auctions)];
  for (let count = 0; count < 30; count++) {
    await addAuction(worker.env);
    await publish();
    tags.push(await etagOf(auctions));
  }
  const oldest = await changesOf(auctions, tags[0]!);
  expect([oldest.status, oldest.body.added.length]).toEqual([200, 30]);
  expect((await changesOf(auctions, tags[15]!)).body.added.length).toBe(15);
});
