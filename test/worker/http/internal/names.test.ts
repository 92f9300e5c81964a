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
