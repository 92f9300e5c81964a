import { eq, sql } from 'drizzle-orm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contacts } from '../../drizzle/schema.ts';
import { createContact } from '../../src/contact/create.ts';
import { deleteContact } from '../../src/contact/delete.ts';
import { keyOfChanged } from '../../src/contact/entries.ts';
import { identityKey } from '../../src/contact/identity-code.ts';
import { listDeletedContactsBy, updateAnyContact } from '../../src/contact/operator/administer.ts';
import { eraseContact } from '../../src/contact/operator/erase.ts';
import { eraseFormerPerson } from '../../src/contact/operator/erase-former.ts';
import { importContacts } from '../../src/contact/operator/import.ts';
import { answerOf, registrarClient } from '../support/client.ts';
import { addContact, addDisclosure, addPerson, addRegistrar, send } from '../support/fixtures.ts';
import { databaseBefore } from '../support/old-database.ts';
import { shareEmptyWorker } from '../support/worker.ts';

const worker = shareEmptyWorker();
const repp = registrarClient(worker);
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

test('keeps two people apart whose codes differ by the century alone, wherever a person is looked for', async () => {
  const registrar = await addRegistrar(worker.env);
  const codes = ['180418+9817', '180418-9817'] as const;
  const people = await Promise.all(
    codes.map(async (code) => {
      const person = await addPerson(worker.env, { countryCode: 'SE', code });
      const identity = { ident: code, identCountryCode: 'SE' };
      const contact = await addContact(worker.env, registrar, identity);
      const deleted = await addContact(worker.env, registrar, identity);
      await deleteContact(callOf(registrar), deleted.code);
      const disclosed = { ...identity, identType: 'priv', identKey: identityKey(code) };
      await addDisclosure(worker.env, disclosed, { contactCode: contact.code });
      return { code, person, contact, deleted };
    }),
  );
  const read = (path: string, init: RequestInit) => answerOf(worker.fetch(path, init));
  for (const [n, { code, person, contact, deleted }] of people.entries()) {
    const other = people[1 - n]!;
    expect((await read(path, send('GET', person))).body.contacts).toMatchObject([
      { id: contact.uuid },
    ]);
    const change = send('PATCH', person, { name: 'Astrid Lind' });
    expect((await read(`${path}/${other.contact.uuid}`, change)).status).toBe(404);
    expect((await read('/api/v1/registrant/export', send('GET', person))).body).toMatchObject({
      contacts: [{ id: contact.uuid }],
      deleted_contacts: [{ id: deleted.uuid }],
      disclosures: [{ contact: contact.code }],
    });
    const query = `/repp/v1/contacts?ident=${encodeURIComponent(code)}`;
    const found = await read(query, send('GET', registrar));
    expect(found.body.contacts).toEqual([contact.code]);
    const update = repp.update(registrar, contact.code, {
      ident: { ident: other.code, ident_type: 'priv', ident_country_code: 'SE' },
    });
    expect((await update).body.code).toBe(2308);
    const page = { after: undefined, limit: 10 };
    expect(await listDeletedContactsBy(worker.db, { ident: code }, page)).toMatchObject([
      { uuid: deleted.uuid },
    ]);
  }
  const [first, second] = people as [(typeof people)[0], (typeof people)[0]];
  const erasure = await eraseContact(worker.operation, first.deleted.uuid);
  expect(erasure).toMatchObject({ others: [first.contact.code], deletedOthers: [] });
  await updateAnyContact(worker.operation, first.contact.code, { ident: second.code });
  const { uuid } = first.contact;
  expect(await eraseFormerPerson(worker.operation, uuid, first.code)).toMatchObject({ entries: 1 });
});

test('refuses a search for a code whose + arrived as a blank, and says how to write it', async () => {
  const registrar = await addRegistrar(worker.env);
  const search = (ident: string) =>
    answerOf(worker.fetch(`/repp/v1/contacts?ident=${ident}`, send('GET', registrar)));
  const { body } = await search('131052+308t');
  expect(body).toMatchObject({ code: 2005, message: 'Ident code is invalid [ident]' });
  expect(body.errors[0].detail).toContain('%2B');
  expect((await search('PASSPORT+123456')).status).toBe(200);
});

const callOf = ({ login }: Pick<Awaited<ReturnType<typeof addRegistrar>>, 'login'>) => ({
  db: worker.db,
  login,
  request: { at: new Date(), requestId: crypto.randomUUID() },
});

test('treats a code without letters and digits as its own only spelling', async () => {
  const registrar = await addRegistrar(worker.env);
  await addContact(worker.env, registrar, { ident: '---', identCountryCode: 'FI' });
  const own = await addContact(worker.env, registrar, { ident: '-', identCountryCode: 'FI' });
  const person = await addPerson(worker.env, { countryCode: 'FI', code: '-' });

  const list = await worker.fetch(path, send('GET', person));

  expect(await list.json()).toMatchObject({ contacts: [{ id: own.uuid }] });
});

/** Half of them in the form in which a `+` counts, or nearly so. */
const spelling = fc.oneof(
  fc
    .array(fc.constantFrom(...'0123456789+-aTß \u2011\ufeff😀'), { minLength: 1, maxLength: 15 })
    .map((characters) => characters.join('')),
  fc
    .tuple(
      fc.stringMatching(/^([A-Za-z]{2} ?)?\d{6}(\d\d)?$/),
      fc.stringMatching(/^[+ -]{1,2}\d{3}[\dA-Za-z ]$/),
    )
    .map((halves) => halves.join('')),
);

test('the database makes the same key of a code in the history as the program', async () => {
  const codes = ['131052+308t', '+', '++', '18180418+9817 ', ...fc.sample(spelling, 500)];
  const keys = await worker.db.all<{ key: string }>(sql`
    select ${keyOfChanged('from')} as key
    from (select json_object('ident', json_object('from', value)) as changes
      from json_each(${JSON.stringify(codes)}) order by key)`);
  expect(keys.map(({ key }, n) => [codes[n], key])).toEqual(
    codes.map((code) => [code, identityKey(code)]),
  );
});

test('the keys of stored codes, of deleted contacts and of disclosures follow the rule after a migration', () => {
  const { database, migrate } = databaseBefore('century_signs');
  const codes = [
    '131052+308T',
    '131052-308T',
    ' 18180418 +9817',
    'SE180418+9817',
    ...fc.sample(spelling, 500),
  ];
  const hasKey = (code: string) => /[\da-zß😀]/iu.test(code);
  const formerKey = (code: string) => (hasKey(code) ? identityKey(code).replace('+', '') : code);
  const insert = database.prepare(`
    insert into contacts (uuid, registrar_id, number, code, name, name_key, email, email_key, phone, ident, ident_key,
      ident_type, ident_country_code, auth_info, created_at, updated_at)
    values (?1, 1, ?1, ?1, '', '', '', '', '', ?2, ?3, '', '', '', '', '')`);
  const entry = database.prepare(`
    insert into history (id, occurred_at, subject, subject_key, subject_uuid, action, actor_type, actor, changes)
    values (?1, '', 'contact', ?1, ?1 + 1000, 'delete', 'operator', '', ?2)`);
  const disclosure = database.prepare(`
    insert into disclosures (id, ident_key, contact_uuid, requester, identified_by, organization, basis,
      requested_fields, confidential, received_at) values (?1, ?2, ?3, '', '', '', '', '[]', 0, '')`);
  for (const [n, code] of codes.entries()) {
    const key = formerKey(code);
    insert.run(n, code, key);
    entry.run(n, JSON.stringify({ ident: { from: code, to: null, key }, name: { removed: true } }));
    disclosure.run(n, key, n);
    disclosure.run(n + 1000, key, n + 1000);
  }
  migrate();
  const keysIn = (select: string) =>
    database
      .prepare(select)
      .all()
      .map(({ key }) => key);
  const keys = codes.map(identityKey);
  expect(keysIn('select ident_key as key from contacts order by number')).toEqual(keys);
  expect(keysIn("select changes ->> '$.ident.key' as key from history order by id")).toEqual(keys);
  expect(keysIn('select ident_key as key from disclosures order by id')).toEqual([
    ...keys,
    ...keys,
  ]);
  expect(() => database.exec("update history set changes = '{}'")).toThrow('append-only');
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
    await createContact(callOf(registrar), contactOf(ident));
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
