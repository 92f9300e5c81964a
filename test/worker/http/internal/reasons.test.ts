import { beforeAll, expect, test } from 'vitest';
import { answerOf } from '../../../support/client.ts';
import { addOwnContact, addSystem, send, unique } from '../../../support/fixtures.ts';
import { shareWorker } from '../../../support/worker.ts';

/** Why a request of a system is refused with 400, for programs. */

const worker = shareWorker({ ZONES: 'ee', NAME_LETTERS: 'õ' });

let system: Awaited<ReturnType<typeof addSystem>>;
let parties: { registrar: string; registrant: string };

beforeAll(async () => {
  system = await addSystem(worker.env, ['domains', 'auctions', 'retained', 'changes']);
  const { registrar, contact } = await addOwnContact(worker.env);
  parties = { registrar: registrar.code, registrant: contact.code };
});

const call = (method: string, path: string, body?: object | string) =>
  answerOf(worker.fetch(`/api/v1/internal/${path}`, send(method, system, body)));

const newName = () => `why${unique()}.ee`;

const unknownParties = [
  ['unknown_registrar', { registrar: 'NOBODY' }],
  ['unknown_registrar', { registrar: 'NOBODY', registrant: 'NOBODY:1' }],
  ['unknown_contact', { registrant: 'NOBODY:1' }],
  ['unknown_contact', { admin_contacts: ['NOBODY:1'] }],
  ['unknown_contact', { tech_contacts: ['NOBODY:1'] }],
] as const;

test.each(unknownParties)('a registration and a report get %s for %j', async (reason, given) => {
  const body = { domain: { ...parties, ...given } };
  for (const [method, path] of [
    ['POST', `names/${newName()}/registration`],
    ['PUT', `domains/${newName()}`],
  ] as const) {
    expect(await call(method, path, body)).toMatchObject({ status: 400, body: { reason } });
  }
});

test('a transfer to an unknown registrar gets unknown_registrar, under its field', async () => {
  const name = newName();
  await call('PUT', `domains/${name}`, { domain: parties });

  expect(await call('POST', `domains/${name}/transfer`, { registrar: 'NOBODY' })).toMatchObject({
    status: 400,
    body: { errors: { registrar: [expect.any(String)] }, reason: 'unknown_registrar' },
  });
});

const refusedNames = [
  ['invalid_name', 'a_b.ee'],
  ['outside_zones', 'firma.fi'],
  ['letter_not_allowed', 'å.ee'],
] as const;

test.each(refusedNames)('every call gets %s for %s', async (reason, name) => {
  const refused = { status: 400, body: { reason } };
  const at = encodeURIComponent(name);
  const domain = parties;
  expect(await call('GET', `names/${at}`)).toMatchObject(refused);
  expect(await call('POST', `names/${at}/registration`, { domain })).toMatchObject(refused);
  expect(await call('PUT', `retained_domains/${at}/reserved`, {})).toMatchObject(refused);
  expect(await call('POST', 'auctions', { auction: { domain: name } })).toMatchObject(refused);
  expect(await call('DELETE', `domains/${at}?release=true`)).toMatchObject(refused);

  const { body } = await call('POST', 'names/check', { names: [name] });
  expect(body.results).toEqual([{ name, error: expect.any(String), reason }]);
});

test('a domain with a malformed name is refused as invalid_name', async () => {
  const refused = { status: 400, body: { reason: 'invalid_name' } };
  expect(await call('PUT', 'domains/a_b.ee', { domain: parties })).toMatchObject(refused);
  expect(await call('GET', 'domains/a_b.ee')).toMatchObject(refused);
});

test('every other 400 gets invalid', async () => {
  const refused = { status: 400, body: { reason: 'invalid' } };
  const at = newName();
  expect(await call('PUT', `domains/${at}`, 'no JSON')).toMatchObject(refused);
  expect(await call('PUT', `domains/${at}`, {})).toMatchObject(refused);
  expect(
    await call('PUT', `domains/${at}`, { domain: { ...parties, registrant: 7 } }),
  ).toMatchObject(refused);
  expect(await call('PUT', `retained_domains/${at}/reserved`, { last_day: 'x' })).toMatchObject(
    refused,
  );
  expect(await call('DELETE', 'auctions/a.b')).toMatchObject(refused);
  expect(await call('GET', 'changes?limit=7000')).toMatchObject(refused);
});

test('a refused row of a batch has the reason that a call of its own would get', async () => {
  const domains = [
    ...unknownParties.map(([, given]) => ({ name: newName(), ...parties, ...given })),
    { name: 'a_b.ee', ...parties },
    { ...parties },
    { name: newName(), registrar: parties.registrar },
    7,
  ];
  const { body } = await call('POST', 'domains/batch', { domains });

  expect(body.results.map(({ reason }: { reason: string }) => reason)).toEqual([
    ...unknownParties.map(([reason]) => reason),
    ...['invalid_name', 'invalid', 'invalid', 'invalid'],
  ]);
});
