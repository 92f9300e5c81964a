import { beforeEach, expect, test } from 'vitest';
import { readNameHistory } from '../../../../src/list/name-history/name-history.ts';
import { startAuctions } from '../../../../src/name/auction/operator/start.ts';
import { startAuction } from '../../../../src/name/auction/start.ts';
import { withMethods } from '../../../list/published.ts';
import { addAuction, emptyLists, operator } from '../../../support/fixtures.ts';
import { onTheWire } from '../../../support/wire.ts';
import { answerHere, shareEmptyWorker } from '../../../support/worker.ts';

const worker = shareEmptyWorker();
const path = '/auctions.atom';
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

/** Another isolate, which remembers nothing. */
const newIsolate = () => ({ ...worker.env, DB: withMethods(worker.env.DB, {}) });
const read = (env = newIsolate(), init: RequestInit = {}) => answerHere(path, init, env);

/** The texts of an element in each entry. */
async function entries(response: Response) {
  return [...(await response.text()).matchAll(/<entry>.*?<\/entry>/gs)].map(([entry]) => ({
    id: /<id>(.*)<\/id>/.exec(entry)?.[1],
    title: /<title>(.*)<\/title>/.exec(entry)?.[1],
    href: /href="(.*?)"/.exec(entry)?.[1],
    updated: /<updated>(.*)<\/updated>/.exec(entry)?.[1],
  }));
}

beforeEach(() => emptyLists(worker.env));

test('the feed has the names that came into auction in the last 30 days, the newest first', async () => {
  const recent = await addAuction(worker.env, { name: 'recent.ee', createdAt: daysAgo(1) });
  const oldest = await addAuction(worker.env, { name: 'oldest.ee', createdAt: daysAgo(29) });
  const newest = await addAuction(worker.env, {
    name: 'õun.ee',
    punycode: 'xn--un-bka.ee',
    status: 'no_bids',
    createdAt: daysAgo(0),
  });
  await addAuction(worker.env, { name: 'past.ee', createdAt: daysAgo(32) });
  expect(await entries(await read())).toEqual([
    {
      id: `urn:uuid:${newest.uuid}`,
      title: 'õun.ee',
      href: 'http://localhost/?name=%C3%B5un.ee',
      updated: newest.createdAt,
    },
    {
      id: `urn:uuid:${recent.uuid}`,
      title: 'recent.ee',
      href: 'http://localhost/?name=recent.ee',
      updated: recent.createdAt,
    },
    {
      id: `urn:uuid:${oldest.uuid}`,
      title: 'oldest.ee',
      href: 'http://localhost/?name=oldest.ee',
      updated: oldest.createdAt,
    },
  ]);
});

test('the feed lacks an auction that was over when it was first recorded, as the history of its name does', async () => {
  const records = (['no_bids', 'started'] as const).map((status, n) => ({
    ...{ name: `in${n}.ee`, punycode: `in${n}.ee`, status },
  }));
  const request = { at: new Date(daysAgo(1)), requestId: crypto.randomUUID() };
  const origin = { actor: { type: 'operator', name: 'Operator' }, request } as const;
  await startAuctions({ db: worker.db, origin }, records);
  expect(await entries(await read())).toMatchObject([{ title: 'in1.ee' }]);
  for (const [n, statuses] of [[], ['auction']].entries()) {
    const history = await readNameHistory(worker.db, `in${n}.ee`, new Date());
    expect(history.map(({ status }) => status)).toEqual(statuses);
  }
});

test('the feed is a document as RFC 4287 has it', async () => {
  const name = { name: 'õun.ee', punycode: 'xn--un-bka.ee' };
  const { uuid, createdAt } = await addAuction(worker.env, { ...name, createdAt: daysAgo(1) });
  const text = await (await read()).text();
  // Another test says what it is.
  const [, id] = /<id>(.*)<\/id>/.exec(text)!;
  expect(text).toBe(`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>${id}</id>
  <title>Registry Edge: uued oksjonid · new auctions</title>
  <link rel="self" type="application/atom+xml" href="http://localhost/auctions.atom"/>
  <link rel="alternate" type="text/html" href="http://localhost/"/>
  <author><name>Registry Edge</name></author>
  <updated>${createdAt}</updated>
  <entry>
    <id>urn:uuid:${uuid}</id>
    <title>õun.ee</title>
    <link rel="alternate" type="text/html" href="http://localhost/?name=%C3%B5un.ee"/>
    <category term="auction"/>
    <summary>xn--un-bka.ee: oksjonil alates · in auction since ${createdAt}</summary>
    <published>${createdAt}</published>
    <updated>${createdAt}</updated>
  </entry>
</feed>
`);
});

test('an entry says that an auction has ended, and when it began', async () => {
  const ended = { name: 'a.ee', status: 'no_bids', createdAt: daysAgo(1) } as const;
  await addAuction(worker.env, ended);
  expect(await (await read()).text()).toContain(`
    <category term="ended"/>
    <summary>a.ee: oksjon lõppenud, algas · auction ended, began ${ended.createdAt}</summary>`);
});

test('the feed has the public address, and ids that another address does not change', async () => {
  const request = { headers: { 'CF-Connecting-IP': '127.0.0.1' } };
  const at = { at: new Date(), requestId: crypto.randomUUID() };
  const operation = { db: worker.db, origin: { ...operator, request: at } };
  const { outcome } = await startAuction(operation, { name: 'a.ee', punycode: 'a.ee' }, null);
  const idsAt = async (PUBLIC_URL: string) => {
    const text = await (await answerHere(path, request, { ...newIsolate(), PUBLIC_URL })).text();
    expect(text).toContain(
      `rel="self" type="application/atom+xml" href="${PUBLIC_URL || 'http://localhost'}/auctions.atom"`,
    );
    expect(text).toContain(`href="${PUBLIC_URL || 'http://localhost'}/?name=a.ee"`);
    return [...text.matchAll(/<id>(.*)<\/id>/g)].map(([, found]) => found);
  };
  const ids = await idsAt('');
  expect(ids).toEqual([
    expect.stringMatching(/^urn:uuid:[0-9a-f-]{36}$/),
    `urn:uuid:${outcome.uuid}`,
  ]);
  expect(await idsAt('https://registry.example.ee')).toEqual(ids);
  expect(await idsAt('https://other.example.ee')).toEqual(ids);
});

test('the feed of a registry without auctions is updated at the beginning of the day', async () => {
  const text = await (await read()).text();
  expect(text).not.toContain('<entry>');
  expect(text).toContain(`<updated>${daysAgo(0).slice(0, 10)}T00:00:00.000Z</updated>`);
});

test('the feed has at most the 200 newest auctions', async () => {
  for (let n = 0; n < 201; n++) {
    const createdAt = new Date(Date.now() - n * 1_000).toISOString();
    await addAuction(worker.env, { name: `auction${n}.ee`, createdAt });
  }
  const all = await entries(await read());
  expect(all).toHaveLength(200);
  expect([all[0]?.title, all[199]?.title]).toEqual(['auction0.ee', 'auction199.ee']);
});

test('the feed is remembered for a minute', async () => {
  const isolate = newIsolate();
  expect(await entries(await read(isolate))).toEqual([]);
  await addAuction(worker.env, { createdAt: daysAgo(1) });
  expect(await entries(await read(isolate))).toEqual([]);
  expect(await entries(await read())).toHaveLength(1);
});

test('the feed is cached as the lists are, and read again only if it has changed', async () => {
  await addAuction(worker.env, { createdAt: daysAgo(1) });
  const fresh = await read();
  const etag = fresh.headers.get('ETag')!;
  expect(etag).toMatch(/^W\/"[0-9a-f]{32}"$/);
  expect(fresh.headers.get('Content-Type')).toBe('application/atom+xml; charset=utf-8');
  const known = { headers: { 'If-None-Match': etag } };
  const unchanged = await read(newIsolate(), known);
  expect([unchanged.status, await unchanged.text()]).toEqual([304, '']);
  for (const { headers } of [fresh, unchanged]) {
    expect(headers.get('ETag')).toBe(etag);
    expect(headers.get('Cache-Control')).toBe('public, max-age=15, stale-if-error=86400');
    expect(headers.get('Cache-Tag')).toBe('list-auctions');
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
  }
  await addAuction(worker.env, { createdAt: daysAgo(0) });
  expect((await read(newIsolate(), known)).status).toBe(200);
});

test('the feed is asked for as a list is: HEAD, a slash at the end, a preflight, other parameters', async () => {
  expect((await worker.fetch(`${path}/`)).status).toBe(200);
  expect((await worker.fetch(`${path}?days=7`)).headers.get('Ignored-Parameters')).toBe('days');
  const head = await onTheWire(worker.url, path, { method: 'HEAD' });
  expect([head.status, head.body]).toEqual([200, '']);
  const preflight = await onTheWire(worker.url, path, { method: 'OPTIONS' });
  expect([preflight.status, preflight.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS']);
  const written = await onTheWire(worker.url, path, { method: 'POST' });
  expect([written.status, JSON.parse(written.body)]).toEqual([
    405,
    { errors: { base: ['Method not allowed'] } },
  ]);
});
