import { expect, test } from 'vitest';
import { answerOf, refused, registrarClient } from '../../../support/client.ts';
import { addOwnContact, addRegistrar, newContact } from '../../../support/fixtures.ts';
import { shareWorker } from '../../../support/worker.ts';

/** A contact is written as it is read, too: with `street` and `ident_type` beside `name`, not in `addr` and `ident`. */

const worker = shareWorker();
const repp = registrarClient(worker);

const done = { status: 200, body: { code: 1000 } };
const identity = { ident: '38001085718', ident_type: 'priv', ident_country_code: 'EE' };
const address = {
  street: 'Pikk 1',
  city: 'Tallinn',
  zip: '10123',
  country_code: 'EE',
  state: 'Harju',
};

const identityChange = refused(
  2308,
  'Ident update is not allowed. Consider creating new contact object',
  null,
);

test('creates and validates a contact in the form in which it is read', async () => {
  const registrar = await addRegistrar(worker.env);
  const contact = newContact({ ...identity, ...address });
  const path = '/validate';
  const verdicts = answerOf(repp.request(registrar, 'POST', path, { contacts: [contact] }));
  expect((await verdicts).body.data.results).toEqual([{ valid: true, errors: [] }]);
  const { status, body } = await repp.create(registrar, contact);
  expect(status).toBe(200);
  expect(await repp.read(registrar, body.data.contact.id)).toMatchObject({
    ...identity,
    ...address,
  });
});

test('updates a part of the address beside others in their group', async () => {
  const { registrar, code } = await addOwnContact(worker.env, { ...address, countryCode: 'EE' });
  const given = { city: 'Tartu', zip: null, addr: { street: 'Lai 2', city: ' Tartu' } };
  expect(await repp.update(registrar, code, given)).toMatchObject(done);
  expect(await repp.read(registrar, code)).toMatchObject({
    ...address,
    ...{ street: 'Lai 2', city: 'Tartu', zip: '' },
  });
  expect(await repp.update(registrar, code, { addr: null, state: '' })).toMatchObject(done);
  expect(await repp.read(registrar, code)).toMatchObject({ street: '', state: null });
});

test.each([
  [{ street: 'Pikk 1', addr: { street: 'Lai 2' } }, 'Street is invalid [addr.street]'],
  [{ street: 'Pikk 1', addr: null }, 'Street is invalid [street]'],
  [{ ident_type: 'org', ident: identity }, 'Ident type is invalid [ident.ident_type]'],
  [{ country_code: 'XX' }, 'Country code is invalid [country_code]'],
  [{ ident: 38001085718 }, 'Ident code is invalid [ident]'],
  [{ ident_type: 'other' }, 'Ident type is invalid [ident_type]'],
  [{ street: 'Pikk 1', addr: 'Pikk 1' }, 'Address is invalid [addr]'],
])('refuses an update with %j', async (given, message) => {
  const { registrar, code } = await addOwnContact(worker.env, identityColumns);
  const field = /\[(.*)\]$/.exec(message)![1]!;
  expect(await repp.update(registrar, code, given)).toMatchObject(refused(2005, message, field));
});

const identityColumns = {
  ident: '38001085718',
  identType: 'priv',
  identCountryCode: 'EE',
} as const;

test.each([
  { ident: '123' },
  { ident: '60001019906', addr: { city: 'Tartu' } },
  { ident_type: 'org' },
  { ident_country_code: 'LV' },
  { ident: { ident: '60001019906' }, ident_type: 'priv' },
])('refuses to change the identity with %j', async (given) => {
  const { registrar, code } = await addOwnContact(worker.env, identityColumns);
  expect(await repp.update(registrar, code, given)).toEqual(identityChange);
});

test.each([
  { ident: '38001085718' },
  { ident: '380010-85718', ident_country_code: 'ee' },
  { ...identity, name: 'Mari Kask' },
  { ident: identity, ident_type: 'priv' },
])('accepts the identity on record with %j', async (given) => {
  const { registrar, code } = await addOwnContact(worker.env, identityColumns);
  expect(await repp.update(registrar, code, given)).toMatchObject(done);
  expect(await repp.read(registrar, code)).toMatchObject(identity);
});

test('names what is missing of an identity without a group', async () => {
  const registrar = await addRegistrar(worker.env);
  const given = newContact({ ident: '38001085718', ident_type: 'priv' });
  const field = 'ident.ident_country_code';
  expect(await repp.create(registrar, given)).toEqual(
    refused(2003, `Required parameter missing [${field}]`, field),
  );
});

test('ignores a numeric id, which is that of a record, and says so', async () => {
  const registrar = await addRegistrar(worker.env);
  const contact = newContact({ id: 7 });
  const calls = [
    ['POST', '', { contact }, 'contact.id'],
    ['POST', '/validate', { contacts: [newContact(), contact] }, 'contacts.id'],
  ] as const;
  for (const [method, path, body, ignored] of calls) {
    const response = await repp.request(registrar, method, path, body);
    expect(response.status).toBe(200);
    expect(response.headers.get('Ignored-Fields')).toBe(ignored);
  }
  const codes = (await repp.list(registrar)).body.contacts;
  expect(codes).toEqual([expect.stringMatching(/:[0-9A-F]{8}$/)]);
});
