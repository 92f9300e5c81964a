import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { systems } from '../../../drizzle/schema.ts';
import { forgetReplaced, rotateHolder } from '../../../src/credential/holder.ts';
import { answerOf } from '../../support/client.ts';
import {
  addAuction,
  addContact,
  addDispute,
  addDomainOf,
  addRegistrar,
  addRetainedDomain,
  addSystem,
  operator,
  send,
} from '../../support/fixtures.ts';
import { shareWorker } from '../../support/worker.ts';

const worker = shareWorker();

async function read(
  name: string,
  system: { authorization: string },
  headers: Record<string, string> = {},
) {
  const path = `/api/v1/internal/names/${encodeURIComponent(name)}`;
  const response = await worker.fetch(path, send('GET', system, undefined, headers));
  return { ...(await answerOf(response)), headers: response.headers };
}

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

test('a text that is not a domain name is refused under its field', async () => {
  const { status, body } = await read('tallinn', await addSystem(worker.env));
  expect(status).toBe(400);
  expect(Object.keys(body.errors)).toEqual(['name']);
});

const refusal = { errors: { base: ['Not authorized'] } };

test('a wrong key, a disabled system and a foreign address are refused alike', async () => {
  const { env } = worker;
  const [system, disabled, nowhere] = await Promise.all([
    addSystem(env),
    addSystem(env, [], { disabledAt: '2026-01-02T03:04:05.678Z' }),
    addSystem(env, [], { allowedIps: [] }),
  ]);
  const refused = [
    await read('noor.ee', { authorization: '' }),
    await read('noor.ee', { authorization: 'Bearer wrong' }),
    await read('noor.ee', disabled),
    await read('noor.ee', nowhere),
    await read('noor.ee', system, { 'CF-Connecting-IP': '203.0.113.9' }),
  ];
  for (const { status, headers, body } of refused) {
    expect([status, body]).toEqual([401, refusal]);
    expect(headers.get('WWW-Authenticate')).toBe('Bearer realm="internal"');
  }
});

type System = Awaited<ReturnType<typeof addSystem>>;

const rotate = ({ name }: System, atOnce = false) =>
  rotateHolder({ db: worker.db, origin: operator }, { type: 'system', key: name }, { atOnce });

const rowOf = async ({ id }: System) =>
  (await worker.db.select().from(systems).where(eq(systems.id, id)))[0]!;

test('a replaced key works until a day after the new one is first used', async () => {
  const system = await addSystem(worker.env);
  const key = await rotate(system);
  expect((await read('noor.ee', system)).status).toBe(200);
  expect((await rowOf(system)).previousKeyValidUntil).toBeNull();
  const usedAt = Date.now();
  expect((await read('noor.ee', { authorization: `Bearer ${key}` })).status).toBe(200);
  const { previousKeyValidUntil } = await rowOf(system);
  const hours = (Date.parse(previousKeyValidUntil!) - usedAt) / 3_600_000;
  expect(Math.round(hours)).toBe(24);
  await worker.env.DB.prepare('update systems set previous_key_valid_until = ? where id = ?')
    .bind(new Date(usedAt).toISOString(), system.id)
    .run();
  expect((await read('noor.ee', system)).status).toBe(401);
});

test('a key that is replaced at once stops working', async () => {
  const system = await addSystem(worker.env);
  await rotate(system, true);
  expect((await read('noor.ee', system)).status).toBe(401);
});

test('a key that was lost before its first use is replaced without locking the system out', async () => {
  const system = await addSystem(worker.env);
  const lost = await rotate(system);
  const key = await rotate(system);
  expect((await read('noor.ee', system)).status).toBe(200);
  expect((await read('noor.ee', { authorization: `Bearer ${lost}` })).status).toBe(401);
  expect((await read('noor.ee', { authorization: `Bearer ${key}` })).status).toBe(200);
});

test('a replaced key is forgotten when it has ended', async () => {
  const system = await addSystem(worker.env);
  const key = await rotate(system);
  await read('noor.ee', { authorization: `Bearer ${key}` });
  await forgetReplaced(worker.db, new Date(Date.now() + 23 * 3_600_000));
  expect((await rowOf(system)).previousKeyDigest).not.toBeNull();
  await forgetReplaced(worker.db, new Date(Date.now() + 25 * 3_600_000));
  expect((await rowOf(system)).previousKeyDigest).toBeNull();
});
