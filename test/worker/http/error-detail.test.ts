import { expect, it } from 'vitest';
import { registrarClient } from '../../support/client.ts';
import { addOwnContact, addRegistrar } from '../../support/fixtures.ts';
import { shareWorker } from '../../support/worker.ts';

const worker = shareWorker();
const { request, update, delete: remove, list } = registrarClient(worker);

it('a body that is not a JSON object is refused without a word of it', async () => {
  const registrar = await addRegistrar(worker.env);
  const body = '{"contact":{"auth_info":"open sesame" oops}}';
  const response = await request(registrar, 'POST', '', body);
  expect(await response.text()).not.toMatch(/sesame|oops/);
});

it('a contact with unknown fields alone is refused with the fields that there are', async () => {
  const { registrar, code } = await addOwnContact(worker.env);
  const { body } = await update(registrar, code, { verified: true });
  expect(body.errors[0].detail).toBe(
    'None of its fields is known here, which are name, email, phone, ident, fax, org_name, auth_info, addr, ident_type, ident_country_code, street, zip, city, state, country_code.',
  );
});

it.each([
  [
    'addr',
    'Tartu',
    'An object is expected, with the fields street, zip, city, state, country_code.',
  ],
  [
    'addr',
    ['Tartu'],
    'An object is expected, with the fields street, zip, city, state, country_code.',
  ],
])('a contact is refused with the form of %s where it is %j', async (field, value, detail) => {
  const { registrar, code } = await addOwnContact(worker.env);
  const { body } = await update(registrar, code, { [field]: value });
  expect(body.errors).toMatchObject([{ field, detail }]);
});

it('code 2304 says which status prohibits an operation', async () => {
  const { registrar, code } = await addOwnContact(worker.env, {
    statuses: ['clientTransferProhibited', 'serverUpdateProhibited', 'pendingDelete'],
  });
  expect((await update(registrar, code, { phone: '+1.1' })).body.errors).toEqual([
    {
      code: 2304,
      message: 'Object status prohibits operation',
      field: null,
      detail: 'The contact has the status serverUpdateProhibited.',
    },
  ]);
  expect((await remove(registrar, code)).body.errors).toMatchObject([
    { code: 2304, detail: 'The contact has the status pendingDelete.' },
  ]);
});

it('says that after and offset exclude each other', async () => {
  const registrar = await addRegistrar(worker.env);
  const after = Buffer.from('000000000000001').toString('base64url');
  expect((await list(registrar, `?after=${after}&offset=1`)).body.errors).toMatchObject([
    { code: 2005, field: 'after', detail: 'after and offset exclude each other.' },
  ]);
});
