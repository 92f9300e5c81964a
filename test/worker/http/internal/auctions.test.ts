import { beforeAll, expect, test } from 'vitest';
import { answerOf } from '../../../support/client.ts';
import {
  addAuction,
  addContact,
  addDispute,
  addDomainOf,
  addRegistrar,
  addRetainedDomain,
  addSystem,
  send,
  unique,
} from '../../../support/fixtures.ts';
import { auctionsOf, historyOf } from '../../../support/stored.ts';
import { shareEmptyWorker } from '../../../support/worker.ts';

const worker = shareEmptyWorker({ ZONES: 'ee' });

let system: Awaited<ReturnType<typeof addSystem>>;
beforeAll(async () => {
  system = await addSystem(worker.env, ['auctions']);
});

async function call(method: string, path = '', body?: object, headers = {}, by = system) {
  const url = `/api/v1/internal/auctions${path}`;
  const response = await worker.fetch(url, send(method, by, body, headers));
  const isReplayed = response.headers.get('Idempotent-Replayed');
  return { ...(await answerOf(response)), isReplayed };
}

const start = (domain: string, more: object = {}, headers = {}) =>
  call('POST', '', { auction: { domain, ...more } }, headers);

const newName = () => `oksjon${unique()}.ee`;

test('a system puts a name up for auction, in any spelling, and the history names the system', async () => {
  const { status, body } = await start('XN--unake-cua.ee', { platform: 'auto' });
  expect([status, body]).toEqual([
    201,
    { id: expect.any(String), domain: 'õunake.ee', status: 'started', platform: 'auto' },
  ]);
  expect(await call('GET', `/${body.id.toUpperCase()}`)).toMatchObject({
    status: 200,
    body: { ...body, registration_deadline: null },
  });
  expect(await historyOf(worker.env, 'auction', { name: 'õunake.ee' })).toMatchObject([
    { action: 'create', actorType: 'system', actor: `System: ${system.name}` },
  ]);
});

test('an auction in progress is returned, and several starts at once are one', async () => {
  const name = newName();
  const answers = await Promise.all([1, 2, 3].map(() => start(name)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
  const [auction, ...others] = await auctionsOf(worker.env, { name });
  expect(others).toEqual([]);
  const shown = { id: auction!.uuid, domain: name, status: 'started' };
  expect(answers.map(({ body }) => body)).toEqual([shown, shown, shown]);
  await addRetainedDomain(worker.env, { name });
  expect(await start(name)).toMatchObject({ status: 200, body: shown });
});

test('a late repetition with its idempotency key starts no second auction', async () => {
  const name = newName();
  const key = { 'Idempotency-Key': crypto.randomUUID() };
  const first = await start(name, {}, key);
  expect([first.status, first.isReplayed]).toEqual([201, null]);
  expect((await call('DELETE', `/${first.body.id}`)).status).toBe(204);
  expect(await start(name, {}, key)).toEqual({ ...first, isReplayed: 'true' });
  expect(await auctionsOf(worker.env, { name })).toEqual([]);
  expect((await start(newName(), {}, key)).status).toBe(422);
  const other = await addSystem(worker.env, ['auctions']);
  expect((await call('POST', '', { auction: { domain: name } }, key, other)).status).toBe(201);
});

test('a name that must not be put up for auction is refused with what stands in the way', async () => {
  const { env } = worker;
  const registrar = await addRegistrar(env);
  const names = {
    'is a registered domain': (await addDomainOf(env, await addContact(env, registrar))).name,
    'is blocked': (await addRetainedDomain(env, { status: 'blocked' })).name,
    'is reserved': (await addRetainedDomain(env)).name,
    'is disputed': (await addDispute(env)).name,
    'has an auction that awaits payment': (await addAuction(env, { status: 'awaiting_payment' }))
      .name,
    'has a paid auction': (await addAuction(env, { status: 'payment_received' })).name,
  };
  for (const [words, name] of Object.entries(names)) {
    expect(await start(name)).toMatchObject({
      status: 409,
      body: { errors: { domain: [`"${name}" ${words}`] } },
    });
  }
});

test('what is not a name or not in a zone of the registry is refused under its field', async () => {
  for (const domain of ['kohv.lv', '', 7, null]) {
    const { status, body } = await call('POST', '', { auction: { domain } });
    expect([status, Object.keys(body.errors)]).toEqual([400, ['domain']]);
  }
  expect((await start(newName(), { platform: 'x'.repeat(51) })).body.errors).toHaveProperty(
    'platform',
  );
  expect((await call('POST', '', {})).body.errors).toEqual({ auction: ['is required'] });
});

test('a name in no zone of the registry is not released, and its domain stays', async () => {
  const registrar = await addRegistrar(worker.env);
  const name = `oksjon${unique()}.lv`;
  await addDomainOf(worker.env, await addContact(worker.env, registrar), name);
  const path = `/api/v1/internal/domains/${name}`;
  const by = await addSystem(worker.env, ['domains']);
  const released = await worker.fetch(`${path}?release=true`, send('DELETE', by));
  expect([released.status, await released.json()]).toEqual([
    400,
    {
      errors: { name: [`"${name}" is not in a zone of this registry (ee)`] },
      reason: 'outside_zones',
    },
  ]);
  expect((await worker.fetch(path, send('GET', by))).status).toBe(200);
  expect(await auctionsOf(worker.env, { name })).toEqual([]);
});

test('an auction is read with its deadline and without its code', async () => {
  const { uuid, name } = await addAuction(worker.env, {
    status: 'payment_received',
    registrationCode: 'c'.repeat(32),
    registrationDeadline: '2026-12-31',
  });
  expect((await call('GET', `/${uuid}`)).body).toEqual({
    id: uuid,
    domain: name,
    status: 'payment_received',
    registration_deadline: '2026-12-31',
  });
  expect(await call('GET', '/none')).toMatchObject({
    status: 404,
    body: { errors: { uuid: ['there is no auction "none"'] } },
  });
});

test('an auction in progress is cancelled, once, and the history says by whom', async () => {
  const { uuid, name } = await addAuction(worker.env);
  for (let time = 1; time <= 2; time++) {
    expect(await call('DELETE', `/${uuid}`)).toMatchObject({ status: 204, body: undefined });
  }
  expect(await historyOf(worker.env, 'auction', { name })).toMatchObject([
    {
      action: 'delete',
      actor: `System: ${system.name}`,
      changes: { reason: { from: null, to: `cancelled by System: ${system.name}` } },
    },
  ]);
});

test('an auction that is over is not cancelled, nor one that is called by its name', async () => {
  const { uuid } = await addAuction(worker.env, { status: 'awaiting_payment' });
  expect(await call('DELETE', `/${uuid}`)).toMatchObject({
    status: 409,
    body: { errors: { status: [expect.stringContaining('awaiting_payment')] } },
  });
  const { name } = await addAuction(worker.env);
  expect((await call('DELETE', `/${name}`)).status).toBe(400);
  expect(await auctionsOf(worker.env, { name })).toHaveLength(1);
});

test('the list of auctions in progress has what a system starts and lacks what it cancels', async () => {
  const name = newName();
  const listed = async () => {
    const response = await worker.fetch('/api/v1/auctions');
    return ((await response.json()) as { domain: string }[]).some(({ domain }) => domain === name);
  };
  expect(await listed()).toBe(false);
  const { body } = await start(name);
  expect(await listed()).toBe(true);
  await call('DELETE', `/${body.id}`);
  expect(await listed()).toBe(false);
});
