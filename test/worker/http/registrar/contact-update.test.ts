import { expect, test } from 'vitest';
import { contactStatuses } from '../../../../drizzle/schema.ts';
import { answerOf, completed, refused, registrarClient } from '../../../support/client.ts';
import { addContact, addOwnContact, addRegistrar } from '../../../support/fixtures.ts';
import { shareWorker } from '../../../support/worker.ts';

const worker = shareWorker();
const repp = registrarClient(worker);

const filled = {
  fax: '+372.6123456',
  orgName: 'Maasikas OÜ',
  street: 'Ülikooli 1',
  city: 'Tartu',
  zip: '50090',
  state: 'Tartumaa',
  countryCode: 'EE',
};

test('answers an update with the code of the contact', async () => {
  const { registrar, code } = await addOwnContact(worker.env);
  expect(await repp.update(registrar, code.toLowerCase(), { phone: '+372.5999999' })).toEqual(
    completed({ contact: { id: code } }),
  );
});

test.each([
  [{ name: 'Mari Kask' }, { name: 'Mari Kask' }],
  [{ email: 'kask@example.ee' }, { email: 'kask@example.ee' }],
  [{ phone: '+372.5999999' }, { phone: '+372.5999999' }],
  [{ fax: '+372.6999999' }, { fax: '+372.6999999' }],
  [{ org_name: 'Kask AS' }, { org_name: 'Kask AS' }],
  [{ auth_info: 'another' }, { auth_info: 'another' }],
  [{ addr: { street: 'Pikk 2' } }, { street: 'Pikk 2' }],
  [{ addr: { city: 'Tallinn' } }, { city: 'Tallinn' }],
  [{ addr: { zip: '10123' } }, { zip: '10123' }],
  [{ addr: { state: 'Harjumaa' } }, { state: 'Harjumaa' }],
  [{ addr: { country_code: 'fi' } }, { country_code: 'FI' }],
  [{ fax: null }, { fax: null }],
  [{ fax: '' }, { fax: null }],
  [{ org_name: null }, { org_name: null }],
  [{ org_name: ' ' }, { org_name: null }],
  [{ addr: { street: null } }, { street: '' }],
  [{ addr: { city: '' } }, { city: '' }],
  [{ addr: { zip: null } }, { zip: '' }],
  [{ addr: { state: '' } }, { state: null }],
  [{ addr: { country_code: '' } }, { country_code: '' }],
  [{ addr: null }, { street: '', city: '', zip: '', state: null, country_code: '' }],
])('changes only the given fields with %j', async (fields, changed) => {
  const { registrar, code } = await addOwnContact(worker.env, filled);
  const before = await repp.read(registrar, code);
  expect(await repp.update(registrar, code, fields)).toMatchObject({ status: 200 });
  const after = await repp.read(registrar, code);
  expect(after).toEqual({
    ...before,
    ...changed,
    updated_at: after.updated_at,
    updator_str: `${registrar.apiUser.id}-ApiUser: ${registrar.apiUser.username}`,
  });
  expect((after.updated_at as string) > (before.updated_at as string)).toBe(true);
});

test.each([null, ''])('draws a new auth_info of 22 hexadecimal digits for %j', async (given) => {
  const { registrar, code, authInfo } = await addOwnContact(worker.env);
  await repp.update(registrar, code, { auth_info: given });
  const { auth_info } = await repp.read(registrar, code);
  expect(auth_info).toMatch(/^[0-9a-f]{22}$/);
  expect(auth_info).not.toBe(authInfo);
});

test('leaves a contact as it was, timestamp included, when nothing differs', async () => {
  const { registrar, code, name } = await addOwnContact(worker.env);
  const before = await repp.read(registrar, code);
  expect(await repp.update(registrar, code, { name, addr: {} })).toMatchObject({ status: 200 });
  expect(await repp.read(registrar, code)).toEqual(before);
});

test.each([
  [{ ident: '38001085718', ident_type: 'priv', ident_country_code: 'EE' }],
  [{ ident: '38001085718', ident_type: 'priv', ident_country_code: 'ee' }],
  [{ ident: ' 38001085718 ' }],
  [{ ident_type: 'priv' }],
  [{ ident: '380 010-85718' }],
])('accepts the identity on record, given as %j, with an update', async (ident) => {
  const { registrar, code } = await addOwnContact(worker.env);
  expect(await repp.update(registrar, code, { ident, name: 'Mari Kask' })).toMatchObject({
    status: 200,
  });
  expect(await repp.read(registrar, code)).toMatchObject({
    name: 'Mari Kask',
    ident: '38001085718',
  });
});

test.each([
  [{ ident: '60001019906', ident_type: 'priv', ident_country_code: 'EE' }],
  [{ ident: '38001085718', ident_type: 'org', ident_country_code: 'EE' }],
  [{ ident: '38001085718', ident_type: 'priv', ident_country_code: 'LV' }],
  [{ ident: 'nonsense' }],
  [{ ident_country_code: 'FI' }],
])('refuses to change the identity to %j, and does not update the rest', async (ident) => {
  const { registrar, code } = await addOwnContact(worker.env);
  const before = await repp.read(registrar, code);
  expect(await repp.update(registrar, code, { ident, name: 'Mari Kask' })).toEqual(
    refused(2308, 'Ident update is not allowed. Consider creating new contact object', null),
  );
  expect(await repp.read(registrar, code)).toEqual(before);
});

test.each([
  [{ name: null }, 2003, 'Required parameter missing [name]', 'name'],
  [{ name: '' }, 2003, 'Required parameter missing [name]', 'name'],
  [{ email: '' }, 2003, 'Required parameter missing [email]', 'email'],
  [{ phone: null }, 2003, 'Required parameter missing [phone]', 'phone'],
  [{ ident: null }, 2003, 'Required parameter missing [ident]', 'ident'],
  [{ phone: '123' }, 2005, 'Phone nr is invalid [phone]', 'phone'],
  [
    { addr: { country_code: 'XX' } },
    2005,
    'Country code is invalid [addr.country_code]',
    'addr.country_code',
  ],
  [{}, 2003, 'Required parameter missing [contact]', 'contact'],
  [{ id: 'NEW' }, 2003, 'Required parameter missing [contact]', 'contact'],
  [{ verified: true }, 2003, 'Required parameter missing [contact]', 'contact'],
])('refuses the update %j, and changes nothing', async (fields, code, message, field) => {
  const { registrar, contact } = await addOwnContact(worker.env);
  const before = await repp.read(registrar, contact.code);
  expect(await repp.update(registrar, contact.code, fields)).toMatchObject(
    refused(code, message, field),
  );
  expect(await repp.read(registrar, contact.code)).toEqual(before);
});

const refusesUpdate = ['clientUpdateProhibited', 'serverUpdateProhibited', 'pendingUpdate'];

test.each(contactStatuses)('judges an update of a contact whose status is %s', async (status) => {
  const { registrar, code } = await addOwnContact(worker.env, { statuses: [status] });
  expect(await repp.update(registrar, code, { name: 'Mari Kask' })).toMatchObject(
    refusesUpdate.includes(status)
      ? refused(2304, 'Object status prohibits operation', null)
      : { status: 200 },
  );
});

test("shows another registrar's contact as missing, and leaves it alone", async () => {
  const [owner, other] = [await addRegistrar(worker.env), await addRegistrar(worker.env)];
  const { code } = await addContact(worker.env, owner);
  const before = await repp.read(owner, code);
  const missing = refused(2303, 'Object does not exist', null, 404);
  expect(await repp.update(other, code, { name: 'Mari Kask' })).toEqual(missing);
  for (const method of ['GET', 'DELETE']) {
    const response = await repp.request(other, method, `/${code}`);
    expect({ status: response.status, body: await response.json() }).toEqual(missing);
  }
  expect(await repp.read(owner, code)).toEqual(before);
  expect(await repp.update(other, 'NO:SUCH', { name: 'Mari Kask' })).toEqual(missing);
});

test('lets ten concurrent updates of different fields all survive', async () => {
  const { registrar, code } = await addOwnContact(worker.env);
  const fields = { name: 'Mari Kask', email: 'kask@example.ee', phone: '+372.5999999' };
  const others = { fax: '+372.6999999', org_name: 'Kask AS' };
  const address = { street: 'Pikk 2', city: 'Tallinn', zip: '10123', state: 'Harjumaa' };
  const changed = { ...fields, ...others, ...address, country_code: 'FI' };
  const updates = Object.entries(changed).map(([field, value]) => ({ [field]: value }));
  const answers = await Promise.all(updates.map((each) => repp.update(registrar, code, each)));
  expect(answers.map(({ status }) => status)).toEqual(updates.map(() => 200));
  expect(await repp.read(registrar, code)).toMatchObject(changed);
  const { body } = await answerOf(repp.request(registrar, 'GET', `/${code}/history`));
  const entries = body.data.history as { changes: object }[];
  const recorded = entries.flatMap(({ changes }) => Object.keys(changes));
  expect(recorded.sort()).toEqual(Object.keys(changed).sort());
});
