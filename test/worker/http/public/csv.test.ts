import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { csvOf } from '../../../../src/list/format/csv.ts';
import { failingKv } from '../../../list/reader.ts';
import { addAuction, addDispute, addRetainedDomain } from '../../../support/fixtures.ts';
import { onTheWire } from '../../../support/wire.ts';
import { answerHere, shareEmptyWorker } from '../../../support/worker.ts';

const worker = shareEmptyWorker();
const auctionsFile = '/repp/v1/auctions.csv';
const retainedFile = '/repp/v1/retained_domains.csv';
const today = () => new Date().toISOString().slice(0, 10);

beforeAll(async () => {
  await addAuction(worker.env, { name: 'pürasid.ee', punycode: 'xn--prasid-n2a.ee' });
  await addAuction(worker.env, { name: '0o.ee' });
  await addRetainedDomain(worker.env, { name: 'a.ee', status: 'blocked' });
  await addRetainedDomain(worker.env, { name: 'õ.ee', punycode: 'xn--mda.ee' });
  await addDispute(worker.env, { name: 'õ.ee', punycode: 'xn--mda.ee' });
  await worker.scheduled('1 0 * * *');
});

const etagOf = async (path: string) => (await worker.fetch(path)).headers.get('ETag')!;
const bytesOf = async (path: string) => Buffer.from(await (await worker.fetch(path)).arrayBuffer());

test('the auctions in progress are a file for a spreadsheet', async () => {
  const response = await worker.fetch(auctionsFile);
  expect(response.status).toBe(200);
  expect(response.headers.get('Content-Type')).toBe('text/csv; charset=utf-8');
  expect(response.headers.get('Content-Disposition')).toBe(
    `attachment; filename="auctions-${today()}.csv"`,
  );
  expect((await bytesOf(auctionsFile)).toString()).toBe(
    '\ufeffdomain_name,punycode_domain_name\r\n0o.ee,0o.ee\r\npürasid.ee,xn--prasid-n2a.ee\r\n',
  );
});

test('the retained names are a file for a spreadsheet, whole and of one type', async () => {
  expect((await bytesOf(retainedFile)).toString()).toBe(
    '\ufeffname,status,punycode_name\r\na.ee,blocked,a.ee\r\nõ.ee,disputed,xn--mda.ee\r\nõ.ee,reserved,xn--mda.ee\r\n',
  );
  const ofType = await worker.fetch(`${retainedFile}?type=disputed`);
  expect(ofType.headers.get('Content-Disposition')).toBe(
    `attachment; filename="retained_domains-disputed-${today()}.csv"`,
  );
  expect((await bytesOf(`${retainedFile}?type=disputed`)).toString()).toBe(
    '\ufeffname,status,punycode_name\r\nõ.ee,disputed,xn--mda.ee\r\n',
  );
});

test('an empty list is a file with its columns', async () => {
  const empty = new Blob(['{"count":0,"auctions":[]}']).stream();
  expect(Buffer.from(await new Response(csvOf('auctions', empty)).arrayBuffer()).toString()).toBe(
    '\ufeffdomain_name,punycode_domain_name\r\n',
  );
});

test('the file is the same wherever the list is cut into pieces', async () => {
  const bytes = new TextEncoder().encode(
    '{"count":2,"domains":[{"name":"a.ee","status":"blocked","punycode_name":"a.ee"},{"name":"õ.ee","status":"reserved","punycode_name":"xn--mda.ee"}]}',
  );
  for (const size of [1, 2, 7, 30]) {
    let at = 0;
    const pieces = new ReadableStream({
      pull(controller) {
        if (at >= bytes.length) return controller.close();
        controller.enqueue(bytes.slice(at, at + size));
        at += size;
      },
    });
    expect(Buffer.from(await new Response(csvOf('all', pieces)).arrayBuffer()).toString()).toBe(
      '\ufeffname,status,punycode_name\r\na.ee,blocked,a.ee\r\nõ.ee,reserved,xn--mda.ee\r\n',
    );
  }
});

test('the file has a weak ETag of its own, which belongs to its content', async () => {
  const etag = await etagOf(auctionsFile);
  expect(etag).toMatch(/^W\/"[0-9a-f]{32}-csv"$/);
  expect(await etagOf(auctionsFile)).toBe(etag);
  const others = [retainedFile, `${retainedFile}?type=blocked`, '/repp/v1/auctions'];
  expect(await Promise.all(others.map(etagOf))).not.toContain(etag);
});

test('the file is cached as the list is, on both 200 and 304', async () => {
  const fresh = await worker.fetch(auctionsFile);
  const etag = fresh.headers.get('ETag')!;
  const known = { headers: { 'If-None-Match': `"x", ${etag}` } };
  const revalidated = await worker.fetch(auctionsFile, known);
  expect([fresh.status, revalidated.status]).toEqual([200, 304]);
  expect(await revalidated.text()).toBe('');
  for (const { headers } of [fresh, revalidated]) {
    expect(headers.get('ETag')).toBe(etag);
    expect(headers.get('Cache-Control')).toBe('public, max-age=15, stale-if-error=86400');
    expect(headers.get('Vary')).toBe('Accept-Encoding');
    expect(headers.get('Cache-Tag')).toBe('list-auctions');
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
  }
  const listEtag = await etagOf('/repp/v1/auctions');
  const other = await worker.fetch(auctionsFile, { headers: { 'If-None-Match': listEtag } });
  expect(other.status).toBe(200);
});

test('the file is compressed for a client that accepts gzip, and plain for another', async () => {
  const packed = await onTheWire(worker.url, auctionsFile, {
    headers: { 'Accept-Encoding': 'gzip' },
  });
  expect(packed.headers['content-encoding']).toBe('gzip');
  expect(packed.headers['cloudflare-cdn-cache-control']).toBeUndefined();
  expect(gunzipSync(packed.bytes).toString()).toContain('pürasid.ee');
  const plain = await onTheWire(worker.url, auctionsFile);
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(plain.headers['cloudflare-cdn-cache-control']).toBe('no-store');
  expect(plain.body).toContain('pürasid.ee');
});

test('the file is asked for as a list is: HEAD, a slash at the end, a preflight, other parameters', async () => {
  const head = await onTheWire(worker.url, auctionsFile, { method: 'HEAD' });
  expect([head.status, head.body]).toEqual([200, '']);
  expect(head.headers.etag).toBe(await etagOf(auctionsFile));
  expect((await worker.fetch(`${retainedFile}/?type=blocked`)).status).toBe(200);
  const preflight = await onTheWire(worker.url, auctionsFile, { method: 'OPTIONS' });
  expect([preflight.status, preflight.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS']);
  const other = await worker.fetch(`${auctionsFile}?day=2026-01-01`);
  expect(other.headers.get('Ignored-Parameters')).toBe('day');
  const wrong = await worker.fetch(`${retainedFile}?type=all`);
  expect([wrong.status, await wrong.json()]).toEqual([
    400,
    {
      errors: { type: ['is not included in the list'] },
      detail: 'Expected: one of reserved, blocked, disputed.',
    },
  ]);
});

test('the file comes from the database where the lists cannot be read, as the list does', async () => {
  const env = { ...worker.env, LISTS: failingKv(worker.env) };
  const response = await answerHere(auctionsFile, {}, env);
  expect(response.status).toBe(200);
  expect(await response.text()).toContain('pürasid.ee,xn--prasid-n2a.ee\r\n');
  expect(response.headers.get('ETag')).toBe(await etagOf(auctionsFile));
});
