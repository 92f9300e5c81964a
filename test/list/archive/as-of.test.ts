import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, it } from 'vitest';
import source from '../../../src/index.ts';
import { archiveLists } from '../../../src/list/archive/archive.ts';
import { type ArchivedDay, putDay, readDay } from '../../../src/list/archive/day.ts';
import { listNames } from '../../../src/list/lists.ts';
import { publish } from '../../../src/list/publish/publish.ts';
import { runCron } from '../../../src/worker/cron.ts';
import { cost, counted } from '../../support/counted.ts';
import { addRetainedDomain } from '../../support/fixtures.ts';
import { onTheWire } from '../../support/wire.ts';
import { shareEmptyWorker } from '../../support/worker.ts';

const worker = shareEmptyWorker();
const at = (time: string) => new Date(`2026-05-${time}Z`);
const path = '/repp/v1/retained_domains';
const body = '{"count":1,"domains":[{"name":"a.ee","status":"reserved","punycode_name":"a.ee"}]}';
let etag: string;

beforeAll(async () => {
  const { env, db } = worker;
  await addRetainedDomain(env, { name: 'a.ee', punycode: 'a.ee' });
  await publish({ db, kv: env.LISTS, clock: () => at('01T12:00:00') }, listNames);
  await archiveLists(env.LISTS, env.ARCHIVE!, listNames, at('02T00:01:00'));
  etag = (await worker.fetch(`${path}?as_of=2026-05-01`)).headers.get('ETag')!;
});

it.each([
  ['/repp/v1/auctions?as_of=2026-05-01', '{"count":0,"auctions":[]}'],
  [`${path}?as_of=2026-05-01`, body],
  [`${path}?type=reserved&as_of=2026-05-01`, body],
  [`${path}/?as_of=2026-05-01&type=blocked`, '{"count":0,"domains":[]}'],
])('a past day is answered at %s, and never changes', async (url, expected) => {
  const answer = await worker.fetch(url);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable');
  expect(answer.headers.get('Vary')).toBe('Accept-Encoding');
  expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
  expect(answer.headers.get('Cache-Tag')).toBeNull();
  expect(answer.headers.get('Link')).toBeNull();
  expect(answer.headers.get('Ignored-Parameters')).toBeNull();
  expect(answer.headers.get('ETag')).toMatch(/^W\/"[0-9a-f]{32}"$/);
  expect(await answer.text()).toBe(expected);
});

it('a past day is not sent to a client that has it', async () => {
  for (const known of [etag, etag.slice(2), `"x", ${etag}`, '*']) {
    const answer = await worker.fetch(`${path}?as_of=2026-05-01`, {
      headers: { 'If-None-Match': known },
    });
    expect({ known, status: answer.status }).toEqual({ known, status: 304 });
    expect(answer.headers.get('ETag')).toBe(etag);
    expect(answer.headers.get('Cache-Control')).toContain('immutable');
  }
  const other = await worker.fetch(`${path}?as_of=2026-05-01`, {
    headers: { 'If-None-Match': 'W/"other"' },
  });
  expect(other.status).toBe(200);
});

it('a past day is gzip for a client that accepts it, and plain for one that does not', async () => {
  const ask = (encoding: string) =>
    onTheWire(worker.url, `${path}?as_of=2026-05-01`, {
      headers: { 'Accept-Encoding': encoding },
    });
  const compressed = await ask('gzip');
  expect(compressed.headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(compressed.bytes).toString()).toBe(body);
  const plain = await ask('identity');
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(plain.headers['cloudflare-cdn-cache-control']).toBe('no-store');
  expect(plain.body).toBe(body);
});

it('a past day answers HEAD as GET, without a body', async () => {
  const answer = await worker.fetch(`${path}?as_of=2026-05-01`, { method: 'HEAD' });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('ETag')).toBe(etag);
  expect(await answer.text()).toBe('');
  const unknown = await worker.fetch(`${path}?as_of=2026-04-30`, { method: 'HEAD' });
  expect(unknown.status).toBe(404);
});

const today = new Date().toISOString().slice(0, 10);
it.each([
  ['as_of=', 400, 'is not a day (YYYY-MM-DD)'],
  ['as_of=2026-02-30', 400, 'is not a day (YYYY-MM-DD)'],
  ['as_of=2026-05-01T00:00:00Z', 400, 'is not a day (YYYY-MM-DD)'],
  ['as_of=2026-05-01&as_of=2026-05-01', 400, 'is given twice'],
  [`as_of=${today}`, 400, 'is not over yet (UTC)'],
  ['as_of=2999-01-01', 400, 'is not over yet (UTC)'],
  ['as_of=2026-05-01&since=x', 400, 'cannot be combined with since'],
  [
    'as_of=2026-04-30',
    404,
    'is not in the archive, which begins on 2026-05-01 and ends on 2026-05-01',
  ],
])('a past day is refused at ?%s', async (query, status, message) => {
  for (const list of ['/repp/v1/auctions', path, `${path}.csv`]) {
    const answer = await worker.fetch(`${list}?${query}`);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('Cache-Control')).toBe('private, no-store');
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(await answer.json()).toEqual({ errors: { as_of: [message] } });
  }
});

it('a past day is a file for a spreadsheet, which never changes', async () => {
  const file = `${path}.csv?type=reserved&as_of=2026-05-01`;
  const answer = await worker.fetch(file);
  expect(Buffer.from(await answer.arrayBuffer()).toString()).toBe(
    '\ufeffname,status,punycode_name\r\na.ee,reserved,a.ee\r\n',
  );
  expect(answer.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable');
  expect(answer.headers.get('Cache-Tag')).toBeNull();
  expect(answer.headers.get('Ignored-Parameters')).toBeNull();
  expect(answer.headers.get('Content-Disposition')).toBe(
    'attachment; filename="retained_domains-reserved-2026-05-01.csv"',
  );
  const tag = answer.headers.get('ETag')!;
  expect(tag).toMatch(/^W\/"[0-9a-f]{32}-csv"$/);
  const known = await worker.fetch(file, { headers: { 'If-None-Match': tag } });
  expect([known.status, known.headers.get('ETag')]).toEqual([304, tag]);
  const head = await worker.fetch(file, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
});

it.each([`${path}/a.ee`, `${path}/a.ee/history`, '/auctions.atom', `${path}/lookup`])(
  'a past day is refused, not ignored, at %s',
  async (at) => {
    const method = at.endsWith('lookup') ? 'POST' : 'GET';
    const answer = await worker.fetch(`${at}?as_of=2026-05-01`, { method });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({
      errors: { as_of: ['is only possible for a whole list'] },
    });
  },
);

it('a past day has no changes', async () => {
  const answer = await worker.fetch(`${path}/changes?since=x&as_of=2026-05-01`);
  expect(answer.status).toBe(400);
  expect(await answer.json()).toEqual({ errors: { as_of: ['cannot be combined with since'] } });
});

it('a past day costs two reads of R2, and none of KV or the database', async () => {
  const env = counted(worker.env);
  const ask = (query: string, headers = {}) => cost(env, `${path}?${query}`, { headers });
  expect(await ask('as_of=2026-05-01')).toEqual({
    ...{ status: 200, answer: { r2Reads: 2 }, after: {} },
  });
  expect(await ask('as_of=2026-05-01', { 'If-None-Match': etag })).toEqual({
    ...{ status: 304, answer: { r2Reads: 1 }, after: {} },
  });
  expect(await ask('as_of=2026-04-30')).toEqual({
    ...{ status: 404, answer: { r2Reads: 1, r2Lists: 1 }, after: {} },
  });
  expect(await ask('as_of=2999-01-01')).toEqual({ status: 400, answer: {}, after: {} });
});

it('a past day counts as more than one request if much of it has to be decompressed', async () => {
  const known = await readDay(worker.env.ARCHIVE!, 'all', '2026-05-01');
  const large = { ...known, day: '2026-04-01', bytes: 1_000_000 } as ArchivedDay;
  await putDay(worker.env.ARCHIVE!, large);
  let requests = 0;
  const limiting = {
    RATE_LIMIT_POLICY: worker.env.RATE_LIMIT_POLICY!.replaceAll('1000000', '1200'),
    ADDRESS_LIMITER: {
      limit: async ({ delta = 1 }) => {
        requests += delta;
        return { success: true };
      },
    },
  };
  await askSource(`${path}?as_of=2026-04-01`, limiting);
  expect(requests).toBe(1);
  await askSource(`${path}?as_of=2026-04-01`, limiting, 'identity');
  expect(requests).toBe(8);
});

it('a past day is answered while the database is down', async () => {
  const answer = await askSource(`${path}?as_of=2026-05-01`, { DB: {} });
  expect(answer.headers.get('ETag')).toBe(etag);
});

it('a past day that is lost is refused with the days around it', async () => {
  const known = (await readDay(worker.env.ARCHIVE!, 'auctions', '2026-05-01'))!;
  const lost = ['2026-02-02', '2026-05-03'].map((day) => ({
    list: known.list,
    day,
    missing: true as const,
  }));
  const records = [{ ...known, day: '2026-02-01' }, ...lost];
  for (const record of records) await putDay(worker.env.ARCHIVE!, record);
  for (const { day } of lost) {
    const answer = await worker.fetch(`/repp/v1/auctions?as_of=${day}`);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toEqual({
      errors: {
        as_of: ['is not in the archive, which begins on 2026-02-01 and ends on 2026-05-01'],
      },
    });
  }
});

async function askSource(url: string, bindings: object, encoding = 'gzip'): Promise<Response> {
  const request = new Request(new URL(url, 'http://localhost'), {
    headers: { 'Accept-Encoding': encoding, 'CF-Connecting-IP': '192.0.2.9' },
  });
  const env = { ...worker.env, ...bindings };
  return (await source.fetch(request as never, env, { waitUntil() {} } as never)) as Response;
}

it('a past day is not there where no archive is kept, and nothing else changes', async () => {
  const none = { ARCHIVE: undefined };
  const answer = await askSource(`${path}?as_of=2026-05-01`, none);
  expect(answer.status).toBe(404);
  expect(await answer.json()).toEqual({ errors: { as_of: ['is not in the archive'] } });
  expect((await askSource(path, none)).status).toBe(200);
  const { ARCHIVE: _, ...env } = worker.env;
  await runCron('1 0 * * *', env, {});
});
