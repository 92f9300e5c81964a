import { expect, test } from 'vitest';
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
} from '../../../support/fixtures.ts';
import { shareWorker } from '../../../support/worker.ts';

const worker = shareWorker();
const withRules = shareWorker({ ZONES: 'ee, рф', NAME_LETTERS: 'õ' });

const read = (name: string, system: { authorization: string }) =>
  answerOf(worker.fetch(`/api/v1/internal/names/${encodeURIComponent(name)}`, send('GET', system)));

test('a system learns everything that stands between a name and its registration', async () => {
  const { env } = worker;
  const system = await addSystem(env);
  await addRetainedDomain(env, { name: 'õunake.ee', punycode: 'xn--unake-cua.ee' });
  await addRetainedDomain(env, { name: 'õunake.ee', status: 'blocked' });
  await addDispute(env, { name: 'õunake.ee' });
  const auction = await addAuction(env, {
    name: 'õunake.ee',
    status: 'payment_received',
    registrationCode: 'c'.repeat(32),
    registrationDeadline: '2026-12-31',
  });
  expect((await read('XN--unake-cua.ee', system)).body).toEqual({
    name: 'õunake.ee',
    punycode_name: 'xn--unake-cua.ee',
    blocked: true,
    disputed: true,
    reserved: true,
    auction: {
      id: auction.uuid,
      status: 'payment_received',
      registration_deadline: '2026-12-31',
    },
    registered: false,
  });
});

test('a system learns that nothing stands between a name and its registration', async () => {
  const system = await addSystem(worker.env);
  await addAuction(worker.env, { name: 'noor.ee', status: 'no_bids' });
  await addDispute(worker.env, { name: 'noor.ee', lastDay: '2001-02-03' });
  expect((await read('noor.ee', system)).body).toEqual({
    name: 'noor.ee',
    punycode_name: 'noor.ee',
    blocked: false,
    disputed: false,
    reserved: false,
    auction: null,
    registered: false,
  });
});

test('a system learns that a domain is registered here', async () => {
  const registrar = await addRegistrar(worker.env);
  const domain = await addDomainOf(worker.env, await addContact(worker.env, registrar));
  const system = await addSystem(worker.env);
  expect((await read(domain.name, system)).body).toMatchObject({ registered: true });
});

const check = (names: unknown, by: typeof worker, system: { authorization: string }) =>
  answerOf(by.fetch('/api/v1/internal/names/check', send('POST', system, { names })));

test('a system asks about many names at once, and learns of each what prevents its registration', async () => {
  const { env } = worker;
  const system = await addSystem(env);
  const registrar = await addRegistrar(env);
  const taken = await addDomainOf(env, await addContact(env, registrar));
  await addRetainedDomain(env, { name: 'kinni-1.ee', status: 'blocked' });
  await addRetainedDomain(env, { name: 'kinni-2.ee', status: 'reserved' });
  await addDispute(env, { name: 'kinni-2.ee', password: 'sesame' });
  await addRetainedDomain(env, { name: 'kinni-3.ee', status: 'reserved', password: 'sesame' });
  await addAuction(env, { name: 'kinni-4.ee' });
  await addAuction(env, { name: 'kinni-5.ee', status: 'awaiting_payment' });
  const paid = { status: 'payment_received', registrationCode: 'c'.repeat(32) } as const;
  await addAuction(env, { name: 'kinni-6.ee', ...paid });
  const names = [1, 2, 3, 4, 5, 6].map((number) => `kinni-${number}.ee`);
  const { status, body } = await check(
    ['Õun-vaba.ee', ...names, 7, 'ﬁrma.ee', taken.name, 'Õun-vaba.ee'],
    worker,
    system,
  );
  expect(status).toBe(200);
  const free = {
    ...{ name: 'õun-vaba.ee', punycode_name: 'xn--un-vaba-h9a.ee' },
    ...{ blocked: false, disputed: false, reserved: false, auction: null, registered: false },
    available: true,
  };
  const { results } = body;
  expect(results[0]).toEqual({ ...free, punycode_name: results[0].punycode_name });
  expect(results.at(-1)).toEqual(results[0]);
  expect(results.slice(1, -1).map(({ reason }: Record<string, unknown>) => reason)).toEqual([
    'blocked',
    'dispute_password_missing',
    'password_missing',
    'in_auction',
    'awaiting_payment',
    'code_missing',
    'invalid_name',
    'invalid_name',
    'registered',
  ]);
  for (const result of results.slice(1, 7)) {
    const { available, reason: _, ...state } = result;
    expect(available).toBe(false);
    expect((await read(result.name, system)).body).toEqual(state);
  }
});

test('a name that the rules of the registry exclude is refused, alone and among others', async () => {
  const system = await addSystem(worker.env);
  const refusals = [
    ['näide.com', '"näide.com" is not in a zone of this registry (ee, рф)', 'outside_zones'],
    [
      'tаllinn.ee',
      '"tаllinn.ee" contains “а” (U+0430), and the letters of this registry are a-z and õ',
      'letter_not_allowed',
    ],
  ] as const;
  for (const [name, error, reason] of refusals) {
    const path = `/api/v1/internal/names/${encodeURIComponent(name)}`;
    expect(await answerOf(withRules.fetch(path, send('GET', system)))).toEqual({
      status: 400,
      body: { errors: { name: [error] }, reason },
    });
  }
  const names = refusals.map(([name]) => name);
  const { body } = await check(names, withRules, system);
  expect(body.results).toEqual(refusals.map(([name, error, reason]) => ({ name, error, reason })));
});

test('a check of none or of too many names is refused', async () => {
  const system = await addSystem(worker.env);
  for (const names of [[], Array.from({ length: 101 }, () => 'a.ee'), 'a.ee', undefined]) {
    expect((await check(names, worker, system)).status).toBe(400);
  }
});
