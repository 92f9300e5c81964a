import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Env } from '../../../../src/base/env.ts';
import worker from '../../../../src/index.ts';
import { app } from '../../../../src/worker/http/app.ts';
import { answerFromMemory } from '../../../../src/worker/http/public/from-memory.ts';
import { addDispute, addRetainedDomain } from '../../../support/fixtures.ts';
import { shareEmptyWorker } from '../../../support/worker.ts';

const registry = shareEmptyWorker();
const lists = '/repp/v1/retained_domains';

beforeAll(async () => {
  await addRetainedDomain(registry.env, { name: 'both.ee', status: 'reserved' });
  await addDispute(registry.env, { name: 'both.ee' });
  await addRetainedDomain(registry.env, { name: 'õ.ee', punycode: 'xn--mda.ee' });
  await registry.scheduled('31 * * * *');
});

let logged: string[];
beforeEach(() => {
  logged = [];
  vi.spyOn(console, 'info').mockImplementation((line) => void logged.push(line));
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** The bindings of a deployment or of a developer's machine, with a dataset that keeps its points. */
function measured(ENVIRONMENT: string) {
  const points: AnalyticsEngineDataPoint[] = [];
  const METRICS = { writeDataPoint: (point: AnalyticsEngineDataPoint) => void points.push(point) };
  const env: Env = { ...registry.env, ENVIRONMENT, METRICS };
  return { env, points };
}

interface Asked {
  path: string;
  method?: string;
  headers?: Record<string, string>;
}

const requestOf = ({ path, ...init }: Asked) =>
  new Request(new URL(path, 'https://registry.example'), init) as never;

/** Everything that an answer is and leaves behind, but for its id and its duration. */
async function traces(
  answer: (env: Env, context: never) => Response | Promise<Response>,
  environment: string,
) {
  const { env, points } = measured(environment);
  logged = [];
  const response = await answer(env, { waitUntil() {} } as never);
  const headers = Object.fromEntries(response.headers);
  const id = headers['x-request-id'];
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  const lines = logged.map((line) => JSON.parse(line)).filter(({ count }) => count === undefined);
  for (const { request_id } of lines) expect(request_id).toBe(id);
  for (const { doubles } of points) if (doubles) doubles[0] = 0;
  return {
    status: response.status,
    headers: { ...headers, 'x-request-id': 'any' },
    body: Buffer.from(await response.arrayBuffer()).toString('hex'),
    lines: lines.map((line) => ({ ...line, request_id: 'any', duration_ms: 0 })),
    points,
  };
}

const held = async (path: string) => {
  const { env } = measured('local');
  const { headers } = await app.fetch(requestOf({ path }), env, { waitUntil() {} } as never);
  return { 'If-None-Match': headers.get('ETag')! };
};

const gzip = { 'Accept-Encoding': 'gzip' };

describe.each(['local', 'production'])('an answer from memory, in %s', (environment) => {
  it.each<[what: string, asked: () => Asked | Promise<Asked>]>([
    ['a list', () => ({ path: lists, headers: gzip })],
    ['a list for a client without gzip', () => ({ path: lists })],
    ['a list of one type', () => ({ path: `${lists}?type=disputed`, headers: gzip })],
    ['the head of a list', () => ({ path: lists, method: 'HEAD', headers: gzip })],
    ['the head of a plain list', () => ({ path: lists, method: 'HEAD' })],
    ['an unchanged list', async () => ({ path: lists, headers: await held(lists) })],
    [
      'the head of an unchanged list',
      async () => ({ path: lists, method: 'HEAD', headers: await held(lists) }),
    ],
    [
      'a list that one of several tags names',
      async () => ({
        path: lists,
        headers: { 'If-None-Match': `"x", ${(await held(lists))['If-None-Match']}` },
      }),
    ],
    [
      'a list for a client with an older one',
      () => ({ path: lists, headers: { ...gzip, 'If-None-Match': 'W/"old"' } }),
    ],
    ['a name with two statuses', () => ({ path: `${lists}/both.ee` })],
    ['a name on no list', () => ({ path: `${lists}/free.ee` })],
    ['a name in punycode', () => ({ path: `${lists}/xn--mda.ee` })],
    ['the head of a name', () => ({ path: `${lists}/both.ee`, method: 'HEAD' })],
    [
      'an unchanged name',
      async () => ({ path: `${lists}/both.ee`, headers: await held(`${lists}/both.ee`) }),
    ],
  ])('an answer from memory is the same as through the application: %s', async (_, ask) => {
    const asked = await ask();
    const throughApplication = () =>
      traces((env, context) => app.fetch(requestOf(asked), env, context), environment);
    // The first answer fills the memory.
    await throughApplication();
    const expected = await throughApplication();
    expect(expected.points).toMatchObject([{ doubles: [0, 0, 0, 0, 1] }]);
    const application = vi.spyOn(app, 'fetch');

    const answer = await traces(
      (env, context) => worker.fetch(requestOf(asked), env, context) as never,
      environment,
    );

    expect(application).not.toHaveBeenCalled();
    // A deployment counts such answers instead.
    const { lines, points } = environment === 'local' ? expected : answer;
    expect(answer).toEqual({ ...expected, lines, points });
  });
});

it.each<[what: string, asked: Asked]>([
  ['a parameter that the call ignores', { path: `${lists}?color=red` }],
  ['a trailing slash', { path: `${lists}/` }],
  ['another method', { path: lists, method: 'POST' }],
  ['a name in another spelling', { path: `${lists}/Both.ee` }],
  ['a name with a parameter', { path: `${lists}/both.ee?color=red` }],
  ['what is not a name', { path: `${lists}/-a.ee` }],
  ['the changes', { path: `${lists}/changes` }],
  ['another path', { path: '/repp/v1/contacts/both.ee' }],
])('leaves to the application: %s', async (_, asked) => {
  await held(lists);
  await held(`${lists}/both.ee`);
  expect(answerFromMemory(requestOf(asked), registry.env)).toBeUndefined();
});

it('gives each answer a request id of its own', async () => {
  await held(lists);
  const ask = () => answerFromMemory(requestOf({ path: lists, headers: gzip }), registry.env)!;
  const ids = [ask(), ask()].map(({ headers }) => headers.get('X-Request-Id'));
  expect(new Set(ids).size).toBe(2);
});

it('gives no answer that is older than five seconds', async () => {
  await held(lists);
  vi.useFakeTimers({ now: Date.now() + 5_001, toFake: ['Date'] });
  expect(answerFromMemory(requestOf({ path: lists }), registry.env)).toBeUndefined();
  vi.useRealTimers();
});

it('a deployment counts its answers from memory, and writes the counts with the first one ten seconds later', async () => {
  const { env, points } = measured('production');
  const start = Date.now() + 60_000;
  const askAfter = async (seconds: number, asked: Asked) => {
    logged = [];
    vi.useFakeTimers({ now: start + seconds * 1_000, toFake: ['Date'] });
    const answer = answerFromMemory(requestOf(asked), env);
    vi.useRealTimers();
    if (!answer) throw new Error('not in memory');
    return logged.map((line) => JSON.parse(line));
  };
  const remember = () => app.fetch(requestOf({ path: lists }), env, { waitUntil() {} } as never);
  vi.useFakeTimers({ now: start, toFake: ['Date'] });
  const { headers } = await remember();
  vi.useRealTimers();
  const unchanged = { path: lists, headers: { 'If-None-Match': headers.get('ETag')! } };
  // What was counted before.
  await askAfter(0, { path: lists });
  points.length = 0;

  expect(await askAfter(1, unchanged)).toEqual([]);
  expect(await askAfter(2, unchanged)).toEqual([]);
  expect(await askAfter(3, { path: lists })).toEqual([]);
  expect(points).toEqual([]);
  vi.useFakeTimers({ now: start + 10_000, toFake: ['Date'] });
  await remember();
  points.length = 0;
  const lines = await askAfter(10, unchanged);

  const line = {
    ...{ level: 'info', event: 'request', method: 'GET', route: lists },
    ...{ registrar: null, system: null, d1: 0, kv: 0, duration_ms: 0 },
  };
  expect(lines).toEqual([
    { ...line, status: 304, count: 3 },
    { ...line, status: 200, count: 1 },
  ]);
  expect(points.map(({ blobs, doubles }) => [blobs?.[4], doubles])).toEqual([
    ['304', [0, 0, 0, 0, 3]],
    ['200', [0, 0, 0, 0, 1]],
  ]);
  expect(await askAfter(11, unchanged)).toEqual([]);
  // The clock was set back.
  vi.useFakeTimers({ now: start - 3_600_000, toFake: ['Date'] });
  await remember();
  expect(await askAfter(-3_600, unchanged)).toMatchObject([{ count: 2 }]);
});
