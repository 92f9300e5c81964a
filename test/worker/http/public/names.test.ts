import { beforeAll, describe, expect, it } from 'vitest';
import { addAuction, addDispute, addRetainedDomain } from '../../../support/fixtures.ts';
import { shareEmptyWorker } from '../../../support/worker.ts';

const worker = shareEmptyWorker();
const path = '/repp/v1/retained_domains';

beforeAll(async () => {
  await addRetainedDomain(worker.env, { name: 'riigikogu.ee', status: 'reserved' });
  await addRetainedDomain(worker.env, { name: 'both.ee', status: 'reserved' });
  await addRetainedDomain(worker.env, { name: 'both.ee', status: 'blocked' });
  await addDispute(worker.env, { name: 'both.ee' });
  await addDispute(worker.env, { name: 'over.ee', firstDay: '2001-01-01', lastDay: '2001-01-02' });
  await addRetainedDomain(worker.env, {
    name: 'õ.ee',
    punycode: 'xn--mda.ee',
    status: 'blocked',
  });
  await addAuction(worker.env, { name: 'kohv.ee' });
  await worker.scheduled('31 * * * *');
});

const read = async (name: string, headers: Record<string, string> = {}) => {
  const response = await worker.fetch(`${path}/${encodeURIComponent(name)}`, { headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text && JSON.parse(text) };
};

describe('GET /repp/v1/retained_domains/{name}', () => {
  it('tells the statuses of a name in alphabetical order', async () => {
    const { status, body } = await read('both.ee');
    expect(status).toBe(200);
    expect(body).toEqual({
      name: 'both.ee',
      punycode_name: 'both.ee',
      statuses: ['blocked', 'disputed', 'reserved'],
      in_auction: false,
    });
  });

  it('tells that a name is in auction', async () => {
    expect((await read('kohv.ee')).body).toEqual({
      name: 'kohv.ee',
      punycode_name: 'kohv.ee',
      statuses: [],
      in_auction: true,
    });
  });

  it.each(['free.ee', 'over.ee', 'riigikog.ee', 'zzz.ee', '0.ee'])(
    'tells that %s is not retained',
    async (name) => {
      const { body } = await read(name);
      expect(body).toEqual({ name, punycode_name: name, statuses: [], in_auction: false });
    },
  );

  it.each(['xn--mda.ee', 'O\u0303.EE'])('knows the name as %s', async (name) => {
    expect((await read(name)).body).toEqual({
      name: 'õ.ee',
      punycode_name: 'xn--mda.ee',
      statuses: ['blocked'],
      in_auction: false,
    });
  });

  it('refuses what is not a domain name, never to be cached', async () => {
    const { status, body, headers } = await read('a..ee');
    expect(status).toBe(400);
    expect(body).toEqual({ errors: { name: [expect.any(String)] } });
    expect(headers.get('Cache-Control')).toBe('private, no-store');
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
  });

  it('sends the cache headers of the lists, and answers 304 to its own ETag', async () => {
    const { headers } = await read('both.ee');
    expect(headers.get('Cache-Control')).toBe('public, max-age=15, stale-if-error=86400');
    expect(headers.get('Cache-Tag')).toBe('list-all,list-auctions');
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
    const etag = headers.get('ETag')!;
    expect(etag).toMatch(/^W\/"[^"]+"$/);
    const again = await read('both.ee', { 'If-None-Match': etag });
    expect([again.status, again.body, again.headers.get('ETag')]).toEqual([304, '', etag]);
    expect((await read('õ.ee', { 'If-None-Match': etag })).status).toBe(200);
  });
});

describe('POST /repp/v1/retained_domains/lookup', () => {
  const lookUp = async (body: unknown) => {
    const response = await worker.fetch(`${path}/lookup`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: await response.json(), headers: response.headers };
  };

  it('answers in the order asked, a wrong name in its place', async () => {
    const names = ['kohv.ee', 'no name', 'Both.ee', 7, 'free.ee', 'kohv.ee'];
    const { status, body, headers } = await lookUp({ names });
    expect(status).toBe(200);
    const kohv = { name: 'kohv.ee', punycode_name: 'kohv.ee', statuses: [], in_auction: true };
    expect(body).toEqual({
      results: [
        kohv,
        { name: 'no name', error: '"no name" contains white space or a control character' },
        {
          name: 'both.ee',
          punycode_name: 'both.ee',
          statuses: ['blocked', 'disputed', 'reserved'],
          in_auction: false,
        },
        { name: 7, error: 'is not a domain name' },
        { name: 'free.ee', punycode_name: 'free.ee', statuses: [], in_auction: false },
        kohv,
      ],
    });
    expect(headers.get('Cache-Control')).toBe('private, no-store');
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
  });

  it('takes 500 names', async () => {
    const names = Array.from({ length: 500 }, (_, number) => `n${number}.ee`);
    const { status, body } = await lookUp({ names });
    expect([status, (body as { results: unknown[] }).results.length]).toEqual([200, 500]);
  });

  it.each([
    ['none', { names: [] }],
    ['501', { names: Array.from({ length: 501 }, () => 'a.ee') }],
    ['a text instead of', { names: 'a.ee' }],
    ['no field of', {}],
    ['an object among the', { names: ['a.ee', { name: 'b.ee' }] }],
  ])('refuses %s names', async (_, asked) => {
    const { status, body } = await lookUp(asked);
    expect(status).toBe(400);
    expect(body).toEqual({ errors: { names: [expect.any(String)] } });
  });

  it('answers a preflight', async () => {
    const preflight = await worker.fetch(`${path}/lookup`, { method: 'OPTIONS' });
    expect(preflight.headers.get('Access-Control-Allow-Methods')).toBe('POST, OPTIONS');
  });
});
