import fc from 'fast-check';
import { expect, test } from 'vitest';
import { identityKey } from '../../src/contact/identity-code.ts';
import { addContact, addPerson, addRegistrar, send } from '../fixtures.ts';
import { startWorker } from '../worker.ts';

const worker = startWorker();
const path = '/api/v1/registrant/contacts';

test('finds the contacts of a person however their code is spelt, at every call', async () => {
  const registrar = await addRegistrar(worker.env);
  const person = await addPerson(worker.env, { countryCode: 'FI', code: '131052308t' });
  const contacts = [];
  for (const ident of ['131052-308T', '131052308T', ' 131052\u2013308t']) {
    contacts.push(await addContact(worker.env, registrar, { ident, identCountryCode: 'FI' }));
  }
  const other = { ident: '131052-308U', identCountryCode: 'FI' };
  await addContact(worker.env, registrar, other);

  const list = await worker.fetch(path, send('GET', person));

  expect(await list.json()).toMatchObject({
    contacts: contacts.map(({ uuid, ident }) => ({ id: uuid, ident: { code: ident } })),
  });
  for (const { uuid } of contacts) {
    const calls = [send('GET', person), send('PATCH', person, { name: 'Aino Virtanen' })];
    for (const init of calls) {
      expect((await worker.fetch(`${path}/${uuid}`, init)).status).toBe(200);
    }
    expect((await worker.fetch(`${path}/${uuid}/history`, send('GET', person))).status).toBe(200);
  }
});

test('treats a code without letters and digits as its own only spelling', async () => {
  const registrar = await addRegistrar(worker.env);
  await addContact(worker.env, registrar, { ident: '---', identCountryCode: 'FI' });
  const own = await addContact(worker.env, registrar, { ident: '-', identCountryCode: 'FI' });
  const person = await addPerson(worker.env, { countryCode: 'FI', code: '-' });

  const list = await worker.fetch(path, send('GET', person));

  expect(await list.json()).toMatchObject({ contacts: [{ id: own.uuid }] });
});

test('the database makes the same key of a code as the service does', async () => {
  const character = fc.oneof(
    fc.constantFrom(...' -./\u00a0\u2011\u2013aZ0õÕß'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  );
  const codes = fc
    .sample(fc.array(character, { minLength: 1, maxLength: 20 }), 2_000)
    .map((characters) => characters.join(''))
    .filter((code) => !code.includes('\0'));
  const { id } = await addRegistrar(worker.env);

  const { results } = await worker.env.DB.prepare(
    `insert into contacts (uuid, registrar_id, number, code, name, email, phone, ident, ident_type,
       ident_country_code, auth_info, created_at, updated_at)
     select 'uuid' || key, ?1, key, 'CODE' || key, '', '', '', value, 'priv', 'FI', '', '', ''
     from json_each(?2) order by key
     returning ident, ident_key as identKey`,
  )
    .bind(id, JSON.stringify(codes))
    .all();

  expect(results).toEqual(codes.map((ident) => ({ ident, identKey: identityKey(ident) })));
});
