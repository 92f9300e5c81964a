import { expect, test } from 'vitest';
import { identityForms } from '../../../../src/contact/identity.ts';
import { answerOf, completed, refused, registrarClient } from '../../../support/client.ts';
import { addContact, addRegistrar, newContact, unverified } from '../../../support/fixtures.ts';
import { shareWorker } from '../../../support/worker.ts';
import { document } from '../openapi/operations.ts';

const worker = shareWorker();
const repp = registrarClient(worker);

const invalidId = refused(
  ...([2005, 'Contact id is invalid [id]', 'id', 400] as const),
  'Expected: at most 100 letters, digits, `_`, `.`, `:` and `-`, the registrar’s prefix included.',
);

async function createdCode(registrar: { authorization: string }, fields: object = {}) {
  const { body } = await repp.create(registrar, newContact(fields));
  return body.data.contact.id as string;
}

test('creates a contact with the chosen id and answers its code', async () => {
  const registrar = await addRegistrar(worker.env);
  expect(await repp.create(registrar, newContact({ id: 'Mari.1' }))).toEqual(
    completed({ contact: { id: `${registrar.code}:MARI.1` } }),
  );
});

test('does not add the prefix twice if the registrar wrote it, in upper or lower case', async () => {
  const registrar = await addRegistrar(worker.env);
  expect(await createdCode(registrar, { id: `${registrar.code.toLowerCase()}:a` })).toBe(
    `${registrar.code}:A`,
  );
  expect(await createdCode(registrar, { id: 'other:a' })).toBe(`${registrar.code}:OTHER:A`);
});

test.each([{}, { id: null }, { id: '' }])(
  'gives eight hexadecimal digits where no id is chosen: %j',
  async (fields) => {
    const registrar = await addRegistrar(worker.env);
    expect(await createdCode(registrar, fields)).toMatch(
      new RegExp(`^${registrar.code}:[0-9A-F]{8}$`),
    );
  },
);

test('accepts a code of 100 characters, and refuses one of 101', async () => {
  const registrar = await addRegistrar(worker.env);
  const longest = 'X'.repeat(100 - registrar.code.length - 1);
  expect(await createdCode(registrar, { id: longest })).toBe(`${registrar.code}:${longest}`);
  expect(await repp.create(registrar, newContact({ id: `${longest}Y` }))).toEqual(invalidId);
});

test.each(['a b', 'õ', true])('refuses the id %j', async (id) => {
  const registrar = await addRegistrar(worker.env);
  expect(await repp.create(registrar, newContact({ id }))).toEqual(invalidId);
});

test.each([
  ['id', 'a\nb', 'Contact id is invalid [id]', 'It contains a line break.'],
  ['id', '\ud800', 'Contact id is invalid [id]', 'It contains an invisible character (U+D800).'],
  ['name', 'Mari\u0007', 'Name is invalid [name]', 'It contains an invisible character (U+0007).'],
])('refuses the %s %j, and names what nobody sees in it', async (field, value, message, detail) => {
  const registrar = await addRegistrar(worker.env);
  expect(await repp.create(registrar, newContact({ [field]: value }))).toEqual(
    refused(2005, message, field, 400, detail),
  );
});

test('refuses an id that is only the prefix', async () => {
  const registrar = await addRegistrar(worker.env);
  expect(await repp.create(registrar, newContact({ id: `${registrar.code}:` }))).toEqual(invalidId);
});

test('refuses an id that is taken, ignoring case', async () => {
  const registrar = await addRegistrar(worker.env);
  await addContact(worker.env, registrar, { code: `${registrar.code}:TAKEN` });
  expect(await repp.create(registrar, newContact({ id: 'taken' }))).toEqual(
    refused(2302, 'Contact id already exists [code]', 'id'),
  );
});

test('answers one of two simultaneous creates of a code with 1000 and the other with 2302', async () => {
  const registrar = await addRegistrar(worker.env);
  const answers = await Promise.all(
    [1, 2].map(() => repp.create(registrar, newContact({ id: 'same' }))),
  );
  expect(answers.map(({ body }) => body.code).sort()).toEqual([1000, 2302]);
  const { body: list } = await repp.list(registrar);
  expect(list).toEqual({
    contacts: [`${registrar.code}:SAME`],
    total_number_of_records: 1,
  });
});

test('keeps every field as given', async () => {
  const registrar = await addRegistrar(worker.env, {}, { username: 'ats' });
  const before = new Date().toISOString();
  const code = await createdCode(registrar, {
    fax: '+372.6123456',
    org_name: 'Maasikas OÜ',
    auth_info: 'chosen by the registrar',
    addr: {
      street: 'Ülikooli 1',
      city: 'Tartu',
      zip: '50090',
      state: 'Tartumaa',
      country_code: 'ee',
    },
  });
  const { id, created_at, updated_at, ...shown } = await repp.read(registrar, code);
  expect(shown).toMatchObject({
    code,
    phone: '+372.5123456',
    email: 'mari@example.ee',
    fax: '+372.6123456',
    ident: '38001085718',
    ident_type: 'priv',
    auth_info: 'chosen by the registrar',
    name: 'Mari Maasikas',
    org_name: 'Maasikas OÜ',
    registrar_id: registrar.id,
    creator_str: `${registrar.apiUser.id}-ApiUser: ats`,
    updator_str: null,
    ident_country_code: 'EE',
    city: 'Tartu',
    street: 'Ülikooli 1',
    zip: '50090',
    country_code: 'EE',
    state: 'Tartumaa',
    legacy_id: null,
    statuses: ['ok'],
    status_notes: {},
    ...unverified,
  });
  expect(id).toEqual(expect.any(Number));
  expect(created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(updated_at).toBe(created_at);
  expect(before <= (created_at as string)).toBe(true);
});

test.each([undefined, null, ''])(
  'makes auth_info of 22 hexadecimal digits for %j',
  async (given) => {
    const registrar = await addRegistrar(worker.env);
    const [one, other] = [
      await repp.read(registrar, await createdCode(registrar, { auth_info: given })),
      await repp.read(registrar, await createdCode(registrar, { auth_info: given })),
    ];
    expect(one.auth_info).toMatch(/^[0-9a-f]{22}$/);
    expect(one.auth_info).not.toBe(other.auth_info);
  },
);

test('leaves optional fields empty if they are null or an empty string', async () => {
  const registrar = await addRegistrar(worker.env);
  const code = await createdCode(registrar, {
    fax: null,
    org_name: ' ',
    addr: { street: '', city: null, state: '' },
  });
  expect(await repp.read(registrar, code)).toMatchObject({
    fax: null,
    org_name: null,
    street: '',
    city: '',
    zip: '',
    state: null,
    country_code: '',
  });
});

test('trims text and normalises it to NFC', async () => {
  const registrar = await addRegistrar(worker.env);
  const code = await createdCode(registrar, {
    name: ' \t Jo\u0303geva 😀 \n',
    email: ' mari@o\u0303un.ee ',
    phone: ' +372.5123456 ',
    ident: { ident: ' 38001085718 ', ident_type: 'priv', ident_country_code: ' ee ' },
  });
  expect(await repp.read(registrar, code)).toMatchObject({
    name: 'J\u00f5geva 😀',
    email: 'mari@\u00f5un.ee',
    phone: '+372.5123456',
    ident: '38001085718',
    ident_country_code: 'EE',
  });
});

test.each([
  ['name', 'Required parameter missing [name]', undefined],
  ['name', 'Required parameter missing [name]', null],
  ['name', 'Required parameter missing [name]', ''],
  ['name', 'Required parameter missing [name]', ' \t\n'],
  ['email', 'Required parameter missing [email]', undefined],
  ['phone', 'Required parameter missing [phone]', undefined],
  ['ident', 'Required parameter missing [ident]', undefined],
])('refuses a create without %s', async (field, message, value) => {
  const registrar = await addRegistrar(worker.env);
  expect(await repp.create(registrar, newContact({ [field]: value }))).toEqual(
    refused(2003, message, field),
  );
});

test.each(['ident', 'ident_type', 'ident_country_code'])(
  'refuses an identity without %s',
  async (field) => {
    const registrar = await addRegistrar(worker.env);
    const ident = { ...newContact().ident, [field]: '' };
    expect(await repp.create(registrar, newContact({ ident }))).toEqual(
      refused(2003, `Required parameter missing [ident.${field}]`, `ident.${field}`),
    );
  },
);

const long = 'x'.repeat(256);

test.each([
  [{ name: long }, 'Name is invalid [name]'],
  [{ name: 7 }, 'Name is invalid [name]'],
  [{ email: 'mari' }, 'Email is invalid [email]'],
  [{ phone: '5123456' }, 'Phone nr is invalid [phone]'],
  [{ phone: '+3725123456' }, 'Phone nr is invalid [phone]'],
  [{ phone: '+3720.5123456' }, 'Phone nr is invalid [phone]'],
  [{ phone: '+372.' }, 'Phone nr is invalid [phone]'],
  [{ phone: '+372.123456789012345' }, 'Phone nr is invalid [phone]'],
  [{ phone: '+000.5123456' }, 'Phone nr is invalid [phone]'],
  [{ phone: '+372.0000' }, 'Phone nr is invalid [phone]'],
  [{ phone: '+372.٥١٢٣' }, 'Phone nr is invalid [phone]'],
  [{ fax: '6123456' }, 'Fax nr is invalid [fax]'],
  [{ org_name: long }, 'Org name is invalid [org_name]'],
  [{ auth_info: long }, 'Auth info is invalid [auth_info]'],
  [{ addr: 'Tartu' }, 'Address is invalid [addr]'],
  [{ addr: [] }, 'Address is invalid [addr]'],
  [{ addr: { street: long } }, 'Street is invalid [addr.street]'],
  [{ addr: { city: long } }, 'City is invalid [addr.city]'],
  [{ addr: { zip: '12345678901234567' } }, 'Zip is invalid [addr.zip]'],
  [{ addr: { state: long } }, 'State is invalid [addr.state]'],
  [{ addr: { country_code: 'XX' } }, 'Country code is invalid [addr.country_code]'],
  [{ ...newContact().ident, ident: 38001085718 }, 'Ident code is invalid [ident]'],
  [{ ident: { ...newContact().ident, ident: 38001085718 } }, 'Ident code is invalid [ident.ident]'],
  [
    { ident: { ...newContact().ident, ident_type: 'PRIV' } },
    'Ident type is invalid [ident.ident_type]',
  ],
  [
    { ident: { ...newContact().ident, ident_country_code: 'XX' } },
    'Ident country code is invalid [ident.ident_country_code]',
  ],
  [
    { ident: { ident: '1850-01-01', ident_type: 'birthday', ident_country_code: 'EE' } },
    'Ident birthday is invalid [ident]',
  ],
])('refuses a create with %j', async (fields, message) => {
  const registrar = await addRegistrar(worker.env);
  const field = /\[(.*)\]$/.exec(message)![1]!;
  const refusal = await repp.create(registrar, newContact(fields));
  expect(refusal).toMatchObject(refused(2005, message, field));
  const { detail } = refusal.body.errors[0];
  expect(detail).toMatch(/^(Expected: |An object is expected, with the fields ).+\.$/);
  // The document says it in the same words.
  if (field === 'email' || field === 'phone') {
    const [, expected] = /^Expected: (.*?)(\. It .*)?\.$/.exec(detail)!;
    expect(JSON.stringify(document)).toContain(expected);
  }
});

test.each([['priv', '38001085719'] as const, ['org', '1234567'] as const])(
  'refuses an Estonian identity of type %s with the code %s',
  async (type, code) => {
    const detail = `Expected: ${identityForms[type]}.`;
    const registrar = await addRegistrar(worker.env);
    const ident = { ident: code, ident_type: type, ident_country_code: 'EE' };
    const message =
      'Ident code does not conform to national identification number format of Estonia';
    expect(await repp.create(registrar, newContact({ ident }))).toEqual(
      refused(2005, message, 'ident', 400, detail),
    );
  },
);

test('names everything that is wrong with a create, the first problem as the answer', async () => {
  const registrar = await addRegistrar(worker.env);
  const { body } = await repp.create(registrar, { phone: '123', addr: { country_code: 'XX' } });
  expect(body).toEqual({
    code: 2003,
    message: 'Required parameter missing [name]',
    data: {},
    errors: [
      { code: 2003, message: 'Required parameter missing [name]', field: 'name' },
      { code: 2003, message: 'Required parameter missing [email]', field: 'email' },
      {
        code: 2005,
        message: 'Phone nr is invalid [phone]',
        field: 'phone',
        detail:
          'Expected: `+`, the country’s code, a dot, the number (RFC 5733), neither of zeros only: +372.55501020.',
      },
      { code: 2003, message: 'Required parameter missing [ident]', field: 'ident' },
      {
        code: 2005,
        message: 'Country code is invalid [addr.country_code]',
        field: 'addr.country_code',
        detail: 'Expected: the two letters of a country (ISO 3166-1 alpha-2).',
      },
    ],
  });
});

test.each([
  [{}, 'Expected: {"contact": {…}}.'],
  [{ name: 'Mari' }, 'Expected: {"contact": {…}}.'],
  [{ contact: null }],
  [{ contact: '' }],
])('refuses the body %j as one without a contact', async (body, detail?: string) => {
  const registrar = await addRegistrar(worker.env);
  expect(await answerOf(repp.request(registrar, 'POST', '', body))).toEqual(
    refused(2003, 'Required parameter missing [contact]', 'contact', 400, detail),
  );
});

test.each([['Mari'], 7])('refuses the contact %j', async (contact) => {
  const registrar = await addRegistrar(worker.env);
  expect(await repp.create(registrar, contact)).toMatchObject(
    refused(2005, 'Contact is invalid [contact]', 'contact'),
  );
});

test('says which fields are expected of a contact without any', async () => {
  const registrar = await addRegistrar(worker.env);
  const { body } = await repp.update(registrar, await createdCode(registrar), {});
  expect(body.errors[0].detail).toMatch(
    /^An object is expected, with the fields name, email, phone/,
  );
});

test('records who created what, without what is secret, derived or technical', async () => {
  const registrar = await addRegistrar(worker.env, {}, { username: 'mall' });
  const code = await createdCode(registrar, { addr: { city: 'Tartu' } });
  const { results } = await worker.env.DB.prepare(
    'select action, actor_type, actor, changes from history where subject_key = ?',
  )
    .bind(code)
    .all<{ changes: string }>();
  expect(results.map((row) => ({ ...row, changes: JSON.parse(row.changes) }))).toEqual([
    {
      action: 'create',
      actor_type: 'api_user',
      actor: `${registrar.apiUser.id}-ApiUser: mall`,
      changes: {
        name: { from: null, to: 'Mari Maasikas' },
        email: { from: null, to: 'mari@example.ee' },
        phone: { from: null, to: '+372.5123456' },
        ident: { from: null, to: '38001085718' },
        identType: { from: null, to: 'priv' },
        identCountryCode: { from: null, to: 'EE' },
        authInfo: { redacted: true },
        city: { from: null, to: 'Tartu' },
      },
    },
  ]);
});

/** A contact may be written as it is read, too: with `street` and `ident_type` beside `name`, not in `addr` and `ident`. */
const flat = {
  ...{ ident: '38001085718', ident_type: 'priv', ident_country_code: 'EE' },
  ...{ street: 'Pikk 1', city: 'Tallinn', zip: '10123', country_code: 'EE', state: 'Harju' },
};

test('creates and validates a contact in the form in which it is read', async () => {
  const registrar = await addRegistrar(worker.env);
  const contact = newContact(flat);
  const given = { contacts: [contact] };
  const verdicts = await answerOf(repp.request(registrar, 'POST', '/validate', given));
  expect(verdicts.body.data.results).toEqual([{ valid: true, errors: [] }]);
  expect(await repp.read(registrar, await createdCode(registrar, contact))).toMatchObject(flat);
});

test('names what is missing of an identity without a group', async () => {
  const registrar = await addRegistrar(worker.env);
  const given = newContact({ ident: '38001085718', ident_type: 'priv' });
  const field = 'ident.ident_country_code';
  expect(await repp.create(registrar, given)).toEqual(
    refused(2003, `Required parameter missing [${field}]`, field),
  );
});

test('ignores a numeric id beside the code, which is that of a record, and says so', async () => {
  const registrar = await addRegistrar(worker.env);
  const contact = newContact({ id: 7, code: 'OTHER:1' });
  const calls = [
    ['', { contact }, 'contact.code, contact.id'],
    ['/validate', { contacts: [newContact(), contact] }, 'contacts.code, contacts.id'],
  ] as const;
  for (const [path, body, ignored] of calls) {
    const response = await repp.request(registrar, 'POST', path, body);
    expect(response.status).toBe(200);
    expect(response.headers.get('Ignored-Fields')).toBe(ignored);
  }
  const codes = (await repp.list(registrar)).body.contacts;
  expect(codes).toEqual([expect.stringMatching(/:[0-9A-F]{8}$/)]);
});

test.each([5, 0])(
  'refuses the number %d as the id of a contact, whose code is a text',
  async (id) => {
    const registrar = await addRegistrar(worker.env);
    const contact = newContact({ id });
    const [message, field] = ['Contact id is invalid [id]', 'id'];
    expect(await repp.create(registrar, contact)).toMatchObject(refused(2005, message, field));
    const verdicts = await answerOf(
      repp.request(registrar, 'POST', '/validate', { contacts: [contact] }),
    );
    expect(verdicts.body.data.results).toMatchObject([
      { valid: false, errors: [{ message, field }] },
    ]);
    expect((await repp.list(registrar)).body.contacts).toEqual([]);
  },
);
