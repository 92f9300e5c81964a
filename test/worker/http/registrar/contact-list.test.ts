import { expect, test } from 'vitest';
import { expectedSentence } from '../../../../src/base/text/field.ts';
import { contactRules } from '../../../../src/contact/rules.ts';
import {
  answerOf,
  completed,
  parameterDetails,
  refused,
  registrarClient,
} from '../../../support/client.ts';
import {
  addContact,
  addContacts,
  addDomainOf,
  addOwnContact,
  addRegistrar,
  addRegistrarWith,
  unverified,
} from '../../../support/fixtures.ts';
import { shareWorker } from '../../../support/worker.ts';

const worker = shareWorker();
const repp = registrarClient(worker);

test('lists codes in the order of the record ids', async () => {
  const registrar = await addRegistrarWith(worker.env, 3);
  expect(await repp.list(registrar)).toEqual({
    status: 200,
    body: { contacts: registrar.codes, total_number_of_records: 3 },
  });
});

test('returns the page that limit and offset describe, with the total of all', async () => {
  const registrar = await addRegistrarWith(worker.env, 4);
  const [, second, third, fourth] = registrar.codes;
  const page = async (query: string) => (await repp.list(registrar, query)).body;
  expect(await page('?limit=2&offset=1')).toEqual({
    contacts: [second, third],
    total_number_of_records: 4,
  });
  expect(await page('?offset=3')).toEqual({ contacts: [fourth], total_number_of_records: 4 });
  expect(await page('?offset=4')).toEqual({ contacts: [], total_number_of_records: 4 });
  expect(await page('?offset=9007199254740991')).toEqual({
    contacts: [],
    total_number_of_records: 4,
  });
});

test('returns at most 200 contacts without a limit', async () => {
  const registrar = await addRegistrar(worker.env);
  await addContacts(worker.env, registrar, 201);
  const { body } = (await repp.list(registrar)) as { body: { contacts: string[] } };
  expect(body.contacts).toHaveLength(200);
  expect(body).toMatchObject({ total_number_of_records: 201 });
});

test('shows a contact with details field by field in the documented order', async () => {
  const { registrar, contact } = await addOwnContact(worker.env, {
    fax: '+372.6123456',
    orgName: 'Maasikas OÜ',
    creator: '7-ApiUser: ats',
    updater: 'RegistrantUser: Mari Maasikas',
    city: 'Tartu',
    street: 'Ülikooli 1',
    zip: '50090',
    countryCode: 'EE',
    state: 'Tartumaa',
    legacyId: '12345',
    statuses: ['clientDeleteProhibited'],
    statusNotes: { clientDeleteProhibited: 'paid until May' },
  });
  const response = await repp.request(registrar, 'GET', '?details=true');
  expect(await response.text()).toBe(
    JSON.stringify({
      contacts: [
        {
          id: contact.id,
          code: contact.code,
          phone: '+372.5123456',
          email: contact.email,
          fax: '+372.6123456',
          created_at: '2026-01-02T03:04:05.678Z',
          updated_at: '2026-01-02T03:04:05.678Z',
          ident: '38001085718',
          ident_type: 'priv',
          auth_info: 'e2c440eba6055c2f844a88',
          name: contact.name,
          org_name: 'Maasikas OÜ',
          registrar_id: registrar.id,
          creator_str: '7-ApiUser: ats',
          updator_str: 'RegistrantUser: Mari Maasikas',
          ident_country_code: 'EE',
          city: 'Tartu',
          street: 'Ülikooli 1',
          zip: '50090',
          country_code: 'EE',
          state: 'Tartumaa',
          legacy_id: 12345,
          statuses: ['clientDeleteProhibited'],
          status_notes: { clientDeleteProhibited: 'paid until May' },
        },
      ],
      total_number_of_records: 1,
    }),
  );
});

test('folds only the ASCII letters of a code: ß does not open SS', async () => {
  const alpha = await addRegistrar(worker.env);
  const { code } = await addContact(worker.env, alpha, { code: `${alpha.code}:SS` });
  const of = (suffix: string) => `/${alpha.code}:${encodeURIComponent(suffix)}`;

  for (const path of [of('ß'), `${of('ß')}/history`]) {
    expect((await repp.request(alpha, 'GET', path)).status).toBe(404);
  }
  for (const method of ['PUT', 'DELETE']) {
    const body = method === 'PUT' ? { contact: { name: 'Jüri Tamm' } } : undefined;
    expect((await repp.request(alpha, method, of('ß'), body)).status).toBe(404);
  }
  expect(await repp.read(alpha, `${alpha.code}:ss`)).toMatchObject({ code });
});

test('reads one contact in an envelope, whatever the case of its code', async () => {
  const { registrar, contact } = await addOwnContact(worker.env);
  const { body } = (await repp.list(registrar, '?details=true')) as {
    body: { contacts: object[] };
  };
  for (const code of [contact.code, contact.code.toLowerCase(), encodeURIComponent(contact.code)]) {
    expect(await answerOf(repp.request(registrar, 'GET', `/${code}`))).toEqual(
      completed({ contact: { ...body.contacts[0], ...unverified } }),
    );
  }
});

test.each([
  ['none stored', [], false, ['ok']],
  ['none stored, linked', [], true, ['ok', 'linked']],
  ['one stored', ['serverUpdateProhibited'], false, ['serverUpdateProhibited']],
  ['one stored, linked', ['serverUpdateProhibited'], true, ['serverUpdateProhibited', 'linked']],
] as const)('shows the statuses of a contact with %s', async (_, stored, isLinked, shown) => {
  const { registrar, contact } = await addOwnContact(worker.env, { statuses: [...stored] });
  if (isLinked) await addDomainOf(worker.env, contact);
  const response = await repp.request(registrar, 'GET', `/${contact.code}`);
  expect(await response.json()).toMatchObject({ data: { contact: { statuses: shown } } });
});

test("leaves other registrars' contacts out of the list and of its total", async () => {
  const [registrar, other] = [
    await addRegistrarWith(worker.env, 1),
    await addRegistrarWith(worker.env, 2),
  ];
  expect((await repp.list(registrar)).body).toEqual({
    contacts: registrar.codes,
    total_number_of_records: 1,
  });
  expect((await repp.list(registrar, '?offset=1')).body).toEqual({
    contacts: [],
    total_number_of_records: 1,
  });
  expect((await repp.list(other)).body).toMatchObject({ total_number_of_records: 2 });
});

test.each([
  ['limit=0', 2004, 'Parameter value range error [limit]', 'limit'],
  ['limit=201', 2004, 'Parameter value range error [limit]', 'limit'],
  ['limit=99999999999999999999', 2004, 'Parameter value range error [limit]', 'limit'],
  ['offset=-1', 2004, 'Parameter value range error [offset]', 'offset'],
  ['offset=9007199254740993', 2004, 'Parameter value range error [offset]', 'offset'],
  ['limit=1e2', 2005, 'Limit is invalid [limit]', 'limit'],
  ['limit=', 2005, 'Limit is invalid [limit]', 'limit'],
  ['offset=1.5', 2005, 'Offset is invalid [offset]', 'offset'],
  ['details=TRUE', 2005, 'Details is invalid [details]', 'details'],
])('refuses a list with ?%s', async (query, code, message, field) => {
  const registrar = await addRegistrar(worker.env);
  expect(await repp.list(registrar, `?${query}`)).toEqual(
    refused(code, message, field, 400, parameterDetails[field]),
  );
});

test('says that a parameter is given twice', async () => {
  const registrar = await addRegistrar(worker.env);
  expect(await repp.list(registrar, '?limit=1&limit=2')).toEqual(
    refused(2005, 'Limit is invalid [limit]', 'limit', 400, 'It is given twice.'),
  );
});

test('names everything that is wrong with a list, the first problem as the answer', async () => {
  const registrar = await addRegistrar(worker.env);
  expect((await repp.list(registrar, '?details=maybe&offset=-5&limit=500')).body).toEqual({
    code: 2004,
    message: 'Parameter value range error [limit]',
    data: {},
    errors: [
      { code: 2004, message: 'Parameter value range error [limit]', field: 'limit' },
      { code: 2004, message: 'Parameter value range error [offset]', field: 'offset' },
      { code: 2005, message: 'Details is invalid [details]', field: 'details' },
    ].map((problem) => ({ ...problem, detail: parameterDetails[problem.field] })),
  });
});

test('checks whether a code is free, with and without the prefix', async () => {
  const registrar = await addRegistrar(worker.env);
  const contact = await addContact(worker.env, registrar, {
    code: `${registrar.code}:TAKEN`,
  });
  const check = (id: string) => answerOf(repp.request(registrar, 'GET', `/check/${id}`));
  const answered = (id: string, available: boolean) => completed({ contact: { id, available } });
  expect(await check('taken')).toEqual(answered(contact.code, false));
  expect(await check(contact.code)).toEqual(answered(contact.code, false));
  expect(await check('Free')).toEqual(answered(`${registrar.code}:FREE`, true));
  expect(await check(`${registrar.code}:free`)).toEqual(answered(`${registrar.code}:FREE`, true));
});

test.each(['sp%20ace', 'x'.repeat(98), '%E0%A4%A'])(
  'refuses to check the impossible code %s',
  async (id) => {
    const registrar = await addRegistrar(worker.env);
    expect(await answerOf(repp.request(registrar, 'GET', `/check/${id}`))).toEqual(
      refused(2005, 'Contact id is invalid [id]', 'id', 400, expectedSentence(contactRules.code())),
    );
  },
);
