import { afterAll, beforeAll, expect, it, onTestFinished, test, vi } from 'vitest';
import type { Env } from '../../../src/base/env.ts';
import source from '../../../src/index.ts';
import { listNames } from '../../../src/list/lists.ts';
import { publish } from '../../../src/list/publish/publish.ts';
import { memoryOf } from '../../../src/list/read/memory.ts';
import { plainRequests } from '../../../src/worker/http/public/answer.ts';
import { answerFromMemory } from '../../../src/worker/http/public/from-memory.ts';
import { rateLimits } from '../../../src/worker/settings.ts';
import { published, withMethods } from '../../list/published.ts';
import { useSmallBlocks } from '../../list/small-blocks.ts';
import { counted } from '../../support/counted.ts';
import { addAuction, addRegistrar, emptyLists, unique } from '../../support/fixtures.ts';
import { shareEmptyWorker } from '../../support/worker.ts';

useSmallBlocks();
const worker = shareEmptyWorker();
// An isolate's memory is fresh, and a minute lasts, for as long as a test says.
const noon = new Date('2026-05-05T12:00:00Z');
beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'], now: noon }));
afterAll(() => void vi.useRealTimers());

const lists = '/repp/v1/retained_domains';
const policyOf = (requests: number) =>
  rateLimits.map((name) => `"${name}";q=${requests};w=60`).join(', ');
const refusal = { errors: { base: ['Too many requests, try again later'] } };

/** Names enough for more than twenty blocks, and some auctions. */
const names = Array.from({ length: 260 }, (_, n) => `n${String(n).padStart(3, '0')}.ee`);
beforeAll(async () => {
  await emptyLists(worker.env);
  await worker.env.DB.prepare(
    `insert into retained_domains (name, punycode, status, created_at)
     select value, value, 'reserved', '2026-01-01T00:00:00.000Z' from json_each(?)`,
  )
    .bind(JSON.stringify(names))
    .run();
  for (let count = 0; count < 5; count++) await addAuction(worker.env, { name: `n${count}a.ee` });
  await publish({ db: worker.db, kv: worker.env.LISTS, clock: () => new Date() }, listNames);
});

// Log lines are written within a second, at the end for all tests: in the process that goes on with other files.
const later: Promise<unknown>[] = [];
const context = { waitUntil: (work: Promise<unknown>) => later.push(work) };
afterAll(() => Promise.all(later));

/**
 * An isolate and a client, both of their own. Its limiter admits so many requests, as the platform's does, and remembers
 * whom it has counted.
 */
function isolate(admitted = Number.POSITIVE_INFINITY, bindings: Partial<Env> = {}) {
  const address = `10.2.${unique()}.1`;
  const keys: string[] = [];
  const ADDRESS_LIMITER: RateLimit = {
    async limit({ key, delta = 1 }) {
      const success = keys.length < admitted;
      keys.push(...Array(delta).fill(key));
      return { success };
    },
  };
  const { env, counts } = counted({
    ...worker.env,
    RATE_LIMIT_POLICY: policyOf(1_200),
    ADDRESS_LIMITER,
    ...bindings,
  });
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = { 'CF-Connecting-IP': address, ...(init.headers as object) };
    const request = new Request(new URL(path, 'https://registry.example'), { ...init, headers });
    return (await source.fetch(request as never, env, context as never)) as Response;
  };
  return { env, address, counts, keys, ask };
}

const failing = () => Promise.reject(new Error('KV GET failed'));
/** The bindings while KV fails. */
const withoutKv = (): Partial<Env> => ({
  LISTS: withMethods(worker.env.LISTS, { get: failing, getWithMetadata: failing }),
});

const lookUp = (names: readonly string[]): [string, RequestInit] => [
  `${lists}/lookup`,
  {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ names }),
  },
];

const gzip = { headers: { 'Accept-Encoding': 'gzip' } };

const calls: [path: string, method?: string][] = [
  [lists],
  [`${lists}?type=blocked`],
  ['/repp/v1/auctions'],
  [lists, 'HEAD'],
  [lists, 'DELETE'],
  [lists, 'OPTIONS'],
  [`${lists}/lookup`, 'OPTIONS'],
  [`${lists}/lookup`, 'POST'],
  [`${lists}/n001.ee`],
  [`${lists}/-a.ee`],
  [`${lists}/changes`],
  ['/health'],
  ['/nothing'],
  ['/api/v1/registrant'],
  ['/api/v1/auctions'],
  ['/api/v1/auctions/'],
  ['/api/v1/auctions', 'POST'],
  ['/api/v1/auctionsx'],
];

it.each(calls)(
  'what needs no login is counted by address at %s, and refused beyond the limit',
  async (path, method) => {
    const { ask, address, keys, counts } = isolate(0);
    const response = await ask(path, { method: method ?? 'GET' });

    expect(response.status).toBe(429);
    expect(response.headers.get('Retry-After')).toBe('60');
    expect(response.headers.get('RateLimit-Policy')).toBe(policyOf(1_200));
    expect(response.headers.get('Cache-Control')).toBe('private, no-store');
    if (method !== 'HEAD') expect(await response.json()).toEqual(refusal);
    expect(keys).toEqual([`public ${address}`]);
    expect(counts).toMatchObject({ d1RoundTrips: 0, kvReads: 0, kvLists: 0 });
  },
);

it.each(['/', '/et/', '/en/', '/en/?name=n001.ee', '/en/nothing'])(
  'what needs no login is refused with a page beyond the limit at %s',
  async (path) => {
    const { ask, counts } = isolate(0);
    const response = await ask(path, { headers: { 'Accept-Language': 'en' } });

    expect(response.status).toBe(429);
    expect(response.headers.get('Content-Type')).toMatch(/^text\/html/);
    expect(await response.text()).toContain(
      path.startsWith('/et') ? 'Liiga palju päringuid' : 'Too many requests',
    );
    expect(counts).toMatchObject({ d1RoundTrips: 0, kvReads: 0 });
  },
);

it('what needs no login is counted as the registrars’ interface refuses it below an unknown path', async () => {
  const response = await isolate(0).ask('/repp/v1/domains');
  expect(response.status).toBe(429);
  expect(await response.json()).toMatchObject({ code: 2502 });
});

it('what needs no login lets a page of any origin read the refusal', async () => {
  const { headers } = await isolate(0).ask(lists);
  expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
  expect(headers.get('Access-Control-Expose-Headers')).toMatch(
    /RateLimit, RateLimit-Policy, Retry-After/,
  );
});

it('what needs no login is counted apart from what registrars do in the same network', async () => {
  const { ask, address, keys } = isolate();
  const { authorization } = await addRegistrar(worker.env);
  await ask('/repp/v1/contacts', { headers: { Authorization: authorization } });
  await ask('/health');
  expect(keys).toEqual([address, `public ${address}`]);
});

it('what needs no login names the limits, except on a 304', async () => {
  const { ask } = isolate();
  for (const path of [lists, `${lists}/n001.ee`, '/health', '/en/', '/nothing']) {
    // The second answer may come from memory.
    for (const response of [await ask(path, gzip), await ask(path, gzip)]) {
      expect([path, response.headers.get('RateLimit-Policy')]).toEqual([path, policyOf(1_200)]);
    }
    const etag = (await ask(path, gzip)).headers.get('ETag');
    if (!etag) continue;
    const unchanged = await ask(path, { headers: { 'If-None-Match': etag } });
    expect(unchanged.status).toBe(304);
    expect(unchanged.headers.get('RateLimit-Policy')).toBeNull();
  }
});

it('what needs no login is answered and counted while a setting is missing', async () => {
  const { ask, env, keys } = isolate();
  env.RATE_LIMIT_POLICY = 'nothing';
  expect((await ask(`${lists}/n001.ee`)).status).toBe(200);
  expect((await ask('/health')).status).toBe(503);
  expect(keys.length).toBe(2);
});

it('a look-up counts as many requests as it touches blocks', async () => {
  const { ask, keys, counts } = isolate();
  const response = await ask(...lookUp(names));
  expect(response.status).toBe(200);
  const all = (await published(worker.env, 'all')).head!.blocks.length;
  const auctions = (await published(worker.env, 'auctions')).head!.blocks;
  const blockOf = (name: string) => auctions.findLastIndex(({ first }) => first <= name);
  const touched = all + new Set(names.map(blockOf).filter((index) => index >= 0)).size;
  expect(keys.length).toBe(touched);
  // The two heads, and the blocks.
  expect(counts.kvReads).toBe(2 + touched);
});

it('a look-up counts as one if it asks about one name', async () => {
  const { ask, keys } = isolate();
  await ask(...lookUp(['n001.ee']));
  await ask(`${lists}/n200.ee`);
  await ask('/en/?name=n003.ee');
  expect(keys.length).toBe(3);
});

it('a look-up is refused before it reads a block beyond the limit', async () => {
  const { ask, counts } = isolate(1);
  const response = await ask(...lookUp(names));
  expect(response.status).toBe(429);
  expect(await response.json()).toEqual(refusal);
  expect(counts).toMatchObject({ d1RoundTrips: 0 });
  // The two heads.
  expect(counts.kvReads).toBe(2);
});

it('a look-up of names from everywhere leaves what the isolate remembers as it is', async () => {
  const { ask, env } = isolate();
  await ask(lists, gzip);
  await ask(...lookUp(['n000.ee', 'n259.ee']));
  const memory = memoryOf(env.LISTS);
  const before = [memory.lists.bytes, memory.parts.bytes];
  await ask(...lookUp(names));
  expect([memory.lists.bytes, memory.parts.bytes]).toEqual(before);
});

it('a whole list counts as a request for each twenty blocks that it is read from, and as one from memory', async () => {
  const { ask, keys } = isolate();
  await ask(lists, gzip);
  const blocks = (await published(worker.env, 'all')).head!.blocks.length;
  expect(blocks).toBeGreaterThan(40);
  expect(keys.length).toBe(Math.ceil(blocks / 20));
  await ask(`${lists}?`, gzip);
  expect(keys.length).toBe(Math.ceil(blocks / 20) + 1);
});

it('a whole list is refused before it reads a block beyond the limit', async () => {
  const { ask, counts } = isolate(1);
  expect((await ask(lists, gzip)).status).toBe(429);
  // The head.
  expect(counts.kvReads).toBe(1);
});

it('a whole list counts as more if it has to be decompressed', async () => {
  const { ask, keys } = isolate();
  await ask(lists);
  const blocks = (await published(worker.env, 'all')).head!.blocks.length;
  expect(keys.length).toBe(Math.ceil(blocks / 20) + 1);
});

it('a whole list counts as a request for each 16 KiB that have to be decompressed', () => {
  expect([1, 16 * 1024, 16 * 1024 + 1].map((bytes) => plainRequests({ bytes }))).toEqual([1, 1, 2]);
});

it('a whole list counts as a hundred requests while KV fails, because it is built', async () => {
  const { ask, keys } = isolate(Number.POSITIVE_INFINITY, withoutKv());
  expect((await ask(lists, gzip)).status).toBe(200);
  expect(keys.length).toBe(100);
});

it('a page counts as two requests while KV fails, because all auctions are read for it', async () => {
  const { ask, keys } = isolate(Number.POSITIVE_INFINITY, withoutKv());
  expect((await ask('/en/')).status).toBe(200);
  expect(keys.length).toBe(2);
});

it.each([
  [lists, 0],
  // The page of retained names, which is small, is read beside the auctions.
  ['/en/', 1],
] as const)(
  '%s is refused beyond the limit before it is read while KV fails',
  async (path, trips) => {
    const { ask, counts } = isolate(1, withoutKv());
    expect((await ask(path, gzip)).status).toBe(429);
    expect(counts.d1RoundTrips).toBe(trips);
  },
);

/** Whether a request of each address is answered from memory, and not left to the application. */
function answersTo(env: Env, addresses: readonly string[], path = lists) {
  return addresses.map((address) => {
    const headers = { 'CF-Connecting-IP': address, 'Accept-Encoding': 'gzip' };
    const request = new Request(new URL(path, 'https://registry.example'), { headers });
    return answerFromMemory(request as never, env) !== undefined;
  });
}

async function warm() {
  const { ask, env } = isolate();
  await ask(lists, gzip);
  await ask(`${lists}/n001.ee`);
  return { ...env, RATE_LIMIT_POLICY: policyOf(3) };
}

it.each([lists, `${lists}/n001.ee`])(
  'an isolate that answers from memory leaves %s to the limiter beyond the limit of a network',
  async (path) => {
    const env = await warm();
    const [busy, other] = [`10.1.${unique()}.1`, `10.1.${unique()}.2`];
    expect(answersTo(env, Array(5).fill(busy), path)).toEqual([true, true, true, false, false]);
    expect(answersTo(env, [other], path)).toEqual([true]);
  },
);

it.each([
  ['written out', ':1:', 'a::'],
  ['with zeros left out', '::', ''],
])(
  'an isolate that answers from memory counts the addresses of a /64 together, %s',
  async (_, subnet, host) => {
    const env = await warm();
    const network = `2001:${unique().toString(16)}:${subnet.length}${subnet}${host}`;
    const addresses = [1, 2, 3, 4].map((n) => `${network}${n}`);
    expect(answersTo(env, addresses)).toEqual([true, true, true, false]);
  },
);

it('an isolate of a deployment asks the limiter after 10,000 answers from memory, whatever the policy says', async () => {
  const RATE_LIMIT_POLICY = policyOf(1_000_000);
  const env = { ...(await warm()), ENVIRONMENT: 'production', RATE_LIMIT_POLICY };
  const answers = answersTo(env, Array(10_001).fill(`10.1.${unique()}.1`));
  expect(answers.slice(-2)).toEqual([true, false]);
});

it('an isolate that answers from memory counts again in the next minute', async () => {
  const env = await warm();
  const busy = `10.1.${unique()}.1`;
  answersTo(env, Array(4).fill(busy));
  expect(answersTo(env, [busy])).toEqual([false]);
  onTestFinished(() => void vi.setSystemTime(noon));
  vi.setSystemTime(noon.getTime() + 60_000);
  const { ask, env: fresh } = isolate();
  await ask(lists, gzip);
  expect(answersTo({ ...fresh, RATE_LIMIT_POLICY: policyOf(3) }, [busy])).toEqual([true]);
});

test('an address that keeps asking is refused, whatever it asks', async () => {
  const { ask } = isolate(3);
  const statuses: number[] = [];
  for (const path of [
    '/health',
    '/nothing',
    `${lists}/changes?since=${'0'.repeat(32)}`,
    '/en/',
    lists,
  ]) {
    statuses.push((await ask(path)).status);
  }
  expect(statuses).toEqual([200, 404, 410, 429, 429]);
});

const path = '/api/v1/auctions';

it('the open list of the auctions in progress counts as two requests when it is read, and as one from memory', async () => {
  const { ask, keys, counts } = isolate();
  await ask(path);
  expect(keys.length).toBe(2);
  await ask(path);
  expect(keys.length).toBe(3);
  expect(counts.d1RoundTrips).toBe(1);
});

it('the open list of the auctions in progress is refused before it is read beyond the limit', async () => {
  const { ask, counts } = isolate(1);
  expect((await ask(path)).status).toBe(429);
  expect(counts.d1RoundTrips).toBe(0);
});
