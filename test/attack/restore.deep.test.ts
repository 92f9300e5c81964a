import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Env } from '../../src/base/env.ts';
import { app } from '../../src/worker/http/app.ts';
import { addDispute, addRetainedDomain, newContact } from '../support/fixtures.ts';
import { migrate } from '../support/local-data.ts';
import { makeDataDirectory, wrangler } from './data-directory.ts';
import { brokenInvariants } from './invariants.ts';
import { plant, type World } from './world.ts';

type Directory = Awaited<ReturnType<typeof makeDataDirectory>>;
type Opened = Awaited<ReturnType<Directory['open']>>;

let directories: Directory[] = [];
let original: Opened;
let restored: Opened;
let world: World;

beforeAll(async () => {
  vi.spyOn(console, 'info').mockImplementation(() => {});
  const [from, to] = [await makeDataDirectory(), await makeDataDirectory()] as const;
  directories = [from, to];
  await migrate(from.state);
  original = await from.open();
  world = await plant(original.env);
  await addRetainedDomain(original.env, { name: 'õun.ee', punycode: 'xn--un-oja.ee' });
  await addRetainedDomain(original.env, { status: 'blocked' });
  await addDispute(original.env);
  for (const change of changes()) expect((await send(original.env, change)).status).toBe(200);

  const file = join(to.path, 'export.sql');
  await wrangler('d1', 'export', 'DB', '--local', '--cwd', from.path, '--output', file);
  await wrangler(
    'd1',
    'execute',
    'DB',
    '--local',
    '--persist-to',
    to.state,
    '--file',
    file,
    '--yes',
  );
  restored = await to.open();
}, 180_000);

afterAll(async () => {
  vi.restoreAllMocks();
  await original?.dispose();
  await restored?.dispose();
  for (const directory of directories) await directory.remove();
});

interface Question {
  path: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

async function send(env: Env, { path, headers, ...init }: Question) {
  const later: Promise<unknown>[] = [];
  const context = { waitUntil: (work: Promise<unknown>) => later.push(work) };
  const response = await app.request(
    path,
    { ...init, headers: { 'CF-Connecting-IP': '127.0.0.1', ...headers } },
    env,
    context as unknown as ExecutionContext,
  );
  const answer = {
    status: response.status,
    etag: response.headers.get('ETag'),
    isReplayed: response.headers.get('Idempotent-Replayed'),
    body: await response.text(),
  };
  await Promise.all(later);
  return answer;
}

const keyed = { 'Idempotency-Key': 'restore', 'Content-Type': 'application/json' };

/** So that there is history, and an answer that was kept. */
function changes(): Question[] {
  const { registrar, registrant, ownContacts, auctionUuids } = world;
  const [first, , third] = ownContacts as { code: string; uuid: string }[];
  return [
    {
      path: `/repp/v1/contacts/${first!.code}`,
      method: 'PUT',
      headers: { ...registrar.headers, ...keyed },
      body: JSON.stringify({ contact: { addr: { street: `O'Brien "; -- % _ \\0` } } }),
    },
    { path: `/repp/v1/contacts/${third!.code}`, method: 'DELETE', headers: registrar.headers },
    {
      path: `/api/v1/registrant/contacts/${first!.uuid}`,
      method: 'PATCH',
      headers: { ...registrant.headers, ...keyed },
      body: '{"name":"Õie Ämblik 🦋"}',
    },
    {
      path: `/api/v1/auctions/${auctionUuids[0]}`,
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json' },
      body: '{"status":"payment_received"}',
    },
  ];
}

function questions(): Question[] {
  const { registrar, registrant, codes, uuids, auctionUuids, intruders } = world;
  const asRegistrar = ['', '?details=true', '?details=true&limit=2&offset=1'].map((query) => ({
    path: `/repp/v1/contacts${query}`,
    headers: registrar.headers,
  }));
  return [
    ...asRegistrar,
    ...codes.flatMap((code) =>
      ['', '/history'].map((end) => ({
        path: `/repp/v1/contacts/${code}${end}`,
        headers: registrar.headers,
      })),
    ),
    { path: '/api/v1/registrant/contacts', headers: registrant.headers },
    ...uuids.flatMap((uuid) =>
      ['', '/history'].map((end) => ({
        path: `/api/v1/registrant/contacts/${uuid}${end}`,
        headers: registrant.headers,
      })),
    ),
    { path: '/api/v1/auctions' },
    ...auctionUuids.map((uuid) => ({ path: `/api/v1/auctions/${uuid}` })),
    { path: '/repp/v1/auctions' },
    { path: '/repp/v1/retained_domains' },
    ...['reserved', 'blocked', 'disputed'].map((type) => ({
      path: `/repp/v1/retained_domains?type=${type}`,
    })),
    ...intruders.map(({ headers }) => ({ path: '/repp/v1/contacts', headers })),
  ];
}

it('gives the same answers on every interface', async () => {
  for (const question of questions()) {
    const expected = await send(original.env, question);
    expect(await send(restored.env, question), question.path).toEqual(expected);
  }
});

it('knows what was done already, and does not do it again', async () => {
  const [update] = changes() as [Question];

  const repeated = await send(restored.env, update);

  expect(repeated).toMatchObject({ status: 200, isReplayed: 'true' });
});

it('goes on where the original stopped: counters agree, changes are counted, history stays append-only', async () => {
  const { registrar, prefix } = world;
  const contact = newContact({ id: 'AFTER' });

  const created = await send(restored.env, {
    path: '/repp/v1/contacts',
    method: 'POST',
    headers: { ...registrar.headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ contact }),
  });

  expect(JSON.parse(created.body).data).toEqual({ contact: { id: `${prefix}:AFTER` } });
  const planted = { contacts: world.contacts, auctions: world.auctions };
  expect(await brokenInvariants(restored.env, planted)).toEqual([]);
  await expect(restored.env.DB.prepare('delete from history').run()).rejects.toThrow('append-only');
});
