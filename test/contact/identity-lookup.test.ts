import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contacts } from '../../drizzle/schema.ts';
import { createContact } from '../../src/contact/create.ts';
import { identityKey } from '../../src/contact/identity-code.ts';
import { importContacts } from '../../src/contact/operator/import.ts';
import { addContact, addPerson, addRegistrar, send } from '../support/fixtures.ts';
import { shareEmptyWorker } from '../support/worker.ts';

const worker = shareEmptyWorker();
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

test('keeps the key of every code that is created or imported, whatever stands between its characters', async () => {
  const character = fc.oneof(
    fc.constantFrom(...' -./\u00a0\u2011\u2013aZ0õÕß'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  );
  const codes = fc
    .sample(fc.array(character, { minLength: 1, maxLength: 20 }), 500)
    .map((characters) => characters.join(''))
    .filter((code) => !code.includes('\0'));
  const registrar = await addRegistrar(worker.env);
  const contactOf = (ident: string) => ({
    ...{ name: 'Aino', email: 'aino@example.fi', phone: '+358.5', ident },
    ...({ identType: 'priv', identCountryCode: 'FI' } as const),
  });
  for (const ident of codes.slice(0, 5)) {
    await createContact(
      {
        db: worker.db,
        login: registrar.login,
        request: {
          at: new Date(),
          requestId: crypto.randomUUID(),
        },
      },
      contactOf(ident),
    );
  }
  await importContacts(
    worker.operation,
    codes.map((ident, n) => ({
      ...contactOf(ident),
      code: `${registrar.code}:${n}`,
      registrar: registrar.code,
    })),
  );

  const rows = await worker.db
    .select({ ident: contacts.ident, identKey: contacts.identKey })
    .from(contacts)
    .where(eq(contacts.registrarId, registrar.id));

  expect(rows).toHaveLength(codes.length + 5);
  expect(rows).toEqual(rows.map(({ ident }) => ({ ident, identKey: identityKey(ident) })));
});

test('the database refuses a code of letters and digits with the key of another', async () => {
  const registrar = await addRegistrar(worker.env);
  await addContact(worker.env, registrar, { ident: 'ab12' });
  const change = (set: string) =>
    worker.env.DB.prepare(`update contacts set ${set} where registrar_id = ?`)
      .bind(registrar.id)
      .run();
  await expect(change("ident = 'ab13'")).rejects.toThrow('contacts_ident_key');
  await expect(change("ident_key = 'ab12'")).rejects.toThrow('contacts_ident_key');
});
