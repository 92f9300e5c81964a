import { expect, test } from 'vitest';
import { contactStatuses } from '../../../../drizzle/schema.ts';
import { answerOf, completed, missing, refused, registrarClient } from '../../../support/client.ts';
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
  [{ auth_info: 'another' }, { auth_info: 'another' }],
  [{ addr: { country_code: 'fi' } }, { country_code: 'FI' }],
  [{ fax: null }, { fax: null }],
  [{ org_name: ' ' }, { org_name: null }],
  [{ addr: { street: null } }, { street: '' }],
  [{ addr: { state: '' } }, { state: null }],
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

const identity = { ident: '38001085718', ident_type: 'priv', ident_country_code: 'EE' };

test.each([
  { ident: identity },
  { ident: { ...identity, ident_country_code: 'ee' } },
  { ident: { ident: ' 38001085718 ' } },
  { ident: { ident_type: 'priv' } },
  { ident: { ident: '380 010-85718' } },
  { ident: '38001085718' },
  { ident: '380010-85718', ident_country_code: 'ee' },
  identity,
  { ident: identity, ident_type: 'priv' },
])('accepts the identity on record, given as %j, with an update', async (given) => {
  const { registrar, code } = await addOwnContact(worker.env);
  const update = await repp.update(registrar, code, { ...given, name: 'Mari Kask' });
  expect(update).toMatchObject({ status: 200 });
  expect(await repp.read(registrar, code)).toMatchObject({ name: 'Mari Kask', ...identity });
});

test.each([
  { ident: { ...identity, ident: '60001019906' } },
  { ident: { ...identity, ident_type: 'org' } },
  { ident: { ...identity, ident_country_code: 'LV' } },
  { ident: { ident: 'nonsense' } },
  { ident: { ident_country_code: 'FI' } },
  { ident: '123' },
  { ident: '60001019906', addr: { city: 'Tartu' } },
  { ident_type: 'org' },
  { ident_country_code: 'LV' },
  { ident: { ident: '60001019906' }, ident_type: 'priv' },
])('refuses to change the identity to %j, and does not update the rest', async (given) => {
  const { registrar, code } = await addOwnContact(worker.env);
  const before = await repp.read(registrar, code);
  const message = 'Ident update is not allowed. Consider creating new contact object';
  const detail = 'The identity on record stays. It may be given, in any spelling, or left out.';
  expect(await repp.update(registrar, code, { ...given, name: 'Mari Kask' })).toEqual(
    refused(2308, message, 'ident', 400, detail),
  );
  expect(await repp.read(registrar, code)).toEqual(before);
});

test.each([
  [{ name: '' }, 2003, 'Required parameter missing [name]'],
  [{ phone: null }, 2003, 'Required parameter missing [phone]'],
  [{ ident: null }, 2003, 'Required parameter missing [ident]'],
  [{ phone: '123' }, 2005, 'Phone nr is invalid [phone]'],
  [{ addr: { country_code: 'XX' } }, 2005, 'Country code is invalid [addr.country_code]'],
  [{}, 2003, 'Required parameter missing [contact]'],
  [{ verified: true }, 2003, 'Required parameter missing [contact]'],
  [{ street: 'Pikk 1', addr: { street: 'Lai 2' } }, 2005, 'Street is invalid [addr.street]'],
  [{ street: 'Pikk 1', addr: null }, 2005, 'Street is invalid [street]'],
  [{ ident_type: 'org', ident: identity }, 2005, 'Ident type is invalid [ident.ident_type]'],
  [{ country_code: 'XX' }, 2005, 'Country code is invalid [country_code]'],
  [{ ident: 38001085718 }, 2005, 'Ident code is invalid [ident]'],
  [{ ident_type: 'other' }, 2005, 'Ident type is invalid [ident_type]'],
  [{ street: 'Pikk 1', addr: 'Pikk 1' }, 2005, 'Address is invalid [addr]'],
])('refuses the update %j, and changes nothing', async (fields, code, message) => {
  const { registrar, contact } = await addOwnContact(worker.env);
  const before = await repp.read(registrar, contact.code);
  const field = /\[(.*)\]$/.exec(message)![1]!;
  expect(await repp.update(registrar, contact.code, fields)).toMatchObject(
    refused(code, message, field),
  );
  expect(await repp.read(registrar, contact.code)).toEqual(before);
});

test('says that a field is given twice', async () => {
  const { registrar, code } = await addOwnContact(worker.env);
  const { body } = await repp.update(registrar, code, { street: 'A', addr: { street: 'B' } });
  expect(body.errors[0].detail).toBe('It is given twice.');
});

test('updates a part of the address beside others in their group', async () => {
  const { registrar, code } = await addOwnContact(worker.env, filled);
  const given = { city: 'Narva', zip: null, addr: { street: 'Lai 2', city: ' Narva' } };
  expect(await repp.update(registrar, code, given)).toMatchObject({ status: 200 });
  const kept = { state: 'Tartumaa', country_code: 'EE' };
  expect(await repp.read(registrar, code)).toMatchObject({
    ...{ street: 'Lai 2', city: 'Narva', zip: '', ...kept },
  });
  const cleared = await repp.update(registrar, code, { addr: null, state: '' });
  expect(cleared).toMatchObject({ status: 200 });
  expect(await repp.read(registrar, code)).toMatchObject({ street: '', state: null });
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

test('takes the statuses of the contact back, and refuses any other', async () => {
  const { registrar, code } = await addOwnContact(worker.env, {
    statuses: ['serverHold' as 'pendingCreate'],
  });
  for (const statuses of [['serverHold', 'linked'], ['ok'], []]) {
    expect(await repp.update(registrar, code, { statuses })).toEqual(
      completed({ contact: { id: code } }),
    );
  }
  const other = await repp.update(registrar, code, {
    statuses: ['serverHold', 'clientDeleteProhibited'],
  });
  const message = 'Status update is not allowed [statuses]';
  expect(other).toMatchObject(refused(2306, message, 'statuses'));
  expect(other.body.errors[0].detail).toBe(
    'The contact does not have the status clientDeleteProhibited. Only the registry sets and removes statuses.',
  );
  expect(await repp.update(registrar, code, { statuses: 'ok' })).toMatchObject(
    refused(2005, 'Statuses is invalid [statuses]', 'statuses'),
  );
  expect(await repp.read(registrar, code)).toMatchObject({ statuses: ['serverHold'] });
});

test("shows another registrar's contact as missing, and leaves it alone", async () => {
  const [owner, other] = [await addRegistrar(worker.env), await addRegistrar(worker.env)];
  const { code } = await addContact(worker.env, owner);
  const before = await repp.read(owner, code);
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
