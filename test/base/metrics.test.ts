import { afterEach, beforeEach, expect, it, type MockInstance, vi } from 'vitest';
import { webhookDeliveries } from '../../drizzle/schema.ts';
import { publishAndPurge } from '../../src/list/publish/publish.ts';
import { runCron } from '../../src/worker/cron.ts';
import { Faults } from '../attack/faults.ts';
import { countsRows } from '../support/counted-rows.ts';
import {
  addAuction,
  addContact,
  addRegistrar,
  addSystem,
  emptyLists,
  send,
} from '../support/fixtures.ts';
import { answerTo, measured } from '../support/measured.ts';
import { shareEmptyWorker } from '../support/worker.ts';

const registry = shareEmptyWorker();
const build = expect.stringMatching(/^[0-9a-f-]{36}$/);

let logged: MockInstance<typeof console.info>;
beforeEach(async () => {
  logged = vi.spyOn(console, 'info').mockImplementation(() => {});
  await emptyLists(registry.env);
});
afterEach(() => {
  vi.restoreAllMocks();
});

it('writes one point for a request: its interface, route, status, registrar, duration and costs', async () => {
  const registrar = await addRegistrar(registry.env);
  const { code } = await addContact(registry.env, registrar);
  const { env, points } = measured(registry);

  await answerTo(env, `/repp/v1/contacts/${code}`, send('GET', registrar));

  expect(points).toEqual([
    {
      indexes: ['registrar'],
      blobs: [
        'request',
        'registrar',
        'GET',
        '/repp/v1/contacts/:code',
        '200',
        registrar.code,
        build,
        '',
      ],
      // Milliseconds, round trips, rows read, reads of KV, requests.
      doubles: [expect.any(Number), 1, countsRows ? 4 : 0, 0, 1],
    },
  ]);
});

it('names the system that called in the point of its request', async () => {
  const system = await addSystem(registry.env);
  const { env, points } = measured(registry);

  await answerTo(env, '/api/v1/internal/names/noor.ee', send('GET', system));

  const route = '/api/v1/internal/names/:name';
  expect(points).toMatchObject([
    { blobs: ['request', 'internal', 'GET', route, '200', '', build, system.name] },
  ]);
});

it('writes one point for a 304 from memory', async () => {
  const { env, points } = measured(registry);
  const path = '/repp/v1/auctions';
  await publishAndPurge(registry.env, {}, ['auctions']);
  const etag = (await answerTo(env, path)).headers.get('ETag')!;
  points.length = 0;

  const { status } = await answerTo(env, path, { headers: { 'If-None-Match': etag } });

  expect(status).toBe(304);
  expect(points).toEqual([
    {
      indexes: ['lists'],
      blobs: ['request', 'lists', 'GET', '/repp/v1/auctions', '304', '', build, ''],
      doubles: [0, 0, 0, 0, 1],
    },
  ]);
});

it.each([
  ['/repp/v1/contacts/EE:38001085718', 'registrar'],
  ['/api/v1/registrant/contacts/38001085718', 'registrant'],
  ['/api/v1/auctions/38001085718', 'auction'],
  ['/repp/v1/retained_domains?type=38001085718', 'lists'],
  ['/et/?name=38001085718', 'page'],
  ['/et/38001085718', 'page'],
  ['/38001085718', 'other'],
])('writes nothing of %s but its interface and its pattern', async (path, name) => {
  const { env, points } = measured(registry);
  await answerTo(env, path);
  // The lists that the page finds missing are published, each with a point of its own.
  expect(points.filter(({ blobs }) => blobs?.[0] === 'request')).toMatchObject([
    {
      indexes: [name],
      blobs: ['request', name, 'GET', expect.any(String), expect.any(String), '', build, ''],
    },
  ]);
  expect(JSON.stringify(points)).not.toContain('38001085718');
});

it('writes one point for each list that a publication wrote, and for each that failed', async () => {
  const { env, points } = measured(registry);
  await publishAndPurge(env, {}, ['auctions', 'blocked']);
  await addAuction(registry.env);
  await publishAndPurge(env, {}, ['auctions', 'blocked']);
  expect(points.map(({ blobs }) => blobs)).toEqual([
    ['publication', 'auctions', 'published'],
    ['publication', 'blocked', 'published'],
    ['publication', 'auctions', 'published'],
  ]);
  points.length = 0;

  const fault = { message: 'KV failed', isDone: false };
  const down = new Faults(fault, (_, binding) => binding === 'kv').wrap(env);
  await expect(publishAndPurge(down, {}, ['auctions'])).rejects.toThrow();

  expect(points).toEqual([
    {
      indexes: ['publication'],
      blobs: ['publication', 'auctions', 'failed'],
      doubles: [expect.any(Number)],
    },
  ]);
});

it.each([
  ['/repp/v1/auctions/changes?since=x', '/repp/v1/auctions/changes'],
  ['/repp/v1/retained_domains/changes?since=x', '/repp/v1/retained_domains/changes'],
  ['/repp/v1/retained_domains/changes', '/repp/v1/retained_domains/changes'],
  ['/repp/v1/retained_domains/name.ee', '/repp/v1/retained_domains/:name'],
  ['/repp/v1/contacts/check/X', '/repp/v1/contacts/check/:code'],
])('gives %s the route of the handler that answers it, in the log as well', async (path, route) => {
  const { env, points } = measured(registry);
  await answerTo(env, path);
  const requests = points.filter(({ blobs }) => blobs?.[0] === 'request');
  expect(requests.map(({ blobs }) => blobs?.[3])).toEqual([route]);
  const lines = logged.mock.calls.map(([line]) => JSON.parse(line));
  expect(lines.map((line) => line.route)).toEqual([route]);
});

it('writes one point at the end of each run of the cron: what the registry holds and what waits', async () => {
  const { id } = await addRegistrar(registry.env);
  const since = new Date(Date.now() - 5_000).toISOString();
  await registry.db
    .insert(webhookDeliveries)
    .values({ id: 'msg_1', registrarId: id, createdAt: since, waitsSince: since });
  const { env, points } = measured(registry);

  await runCron('31 * * * *', env, {});

  expect(points.filter(({ blobs }) => blobs?.[0] === 'state')).toEqual([
    {
      indexes: ['state'],
      blobs: ['state'],
      doubles: [expect.any(Number), 1, expect.any(Number), 0, expect.any(Number)],
    },
  ]);
  const [bytes, , waited] = points.at(-1)!.doubles!;
  expect(bytes).toBeGreaterThan(100_000);
  expect(waited).toBeGreaterThanOrEqual(5_000);
});

it('answers although no point can be written', async () => {
  const { env } = measured(registry, {
    write: () => {
      throw new Error('too many data points');
    },
  });
  expect((await answerTo(env, '/repp/v1/auctions')).status).toBe(200);
  expect((await answerTo(registry.env, '/repp/v1/auctions')).status).toBe(200);
});
