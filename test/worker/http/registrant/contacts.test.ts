import { expect, test } from 'vitest';
import { answerOf, registrantClient, registrarClient } from '../../../support/client.ts';
import {
  addContact,
  addDomainOf,
  addPerson,
  addRegistrar,
  unique,
} from '../../../support/fixtures.ts';
import { shareWorker } from '../../../support/worker.ts';

const worker = shareWorker();
const portal = registrantClient(worker);
const repp = registrarClient(worker);

/** A person and one of their contacts. */
async function addPersonWithContact(overrides: Parameters<typeof addContact>[2] = {}) {
  const [person, registrar] = [await addPerson(worker.env), await addRegistrar(worker.env)];
  const ofPerson = { ident: person.code, ...overrides };
  return { person, registrar, contact: await addContact(worker.env, registrar, ofPerson) };
}

const refused = (field: string, message: string, status = 400) => ({
  status,
  body: { errors: { [field]: [message] } },
});
const missing = refused('base', 'Contact not found', 404);

const filled = {
  fax: '+372.6123456',
  street: 'Ülikooli 1',
  city: 'Tartu',
  zip: '50090',
  state: 'Tartumaa',
  countryCode: 'EE',
};

test('shows a contact field by field, with disclosed attributes only outside lists', async () => {
  const { person, contact } = await addPersonWithContact({
    ...filled,
    disclosedAttributes: ['name'],
    statuses: ['serverDeleteProhibited'],
  });
  await addDomainOf(worker.env, contact);
  const listed = {
    id: contact.uuid,
    name: contact.name,
    code: contact.code,
    ident: { code: person.code, type: 'priv', country_code: 'EE' },
    email: contact.email,
    phone: '+372.5123456',
    fax: '+372.6123456',
    address: {
      street: 'Ülikooli 1',
      zip: '50090',
      city: 'Tartu',
      state: 'Tartumaa',
      country_code: 'EE',
    },
    auth_info: 'e2c440eba6055c2f844a88',
    statuses: ['serverDeleteProhibited', 'linked'],
  };
  const list = await portal.request(person, 'GET');
  expect(list.status).toBe(200);
  expect(await list.text()).toBe(JSON.stringify({ contacts: [listed] }));
  const alone = await portal.request(person, 'GET', `/${contact.uuid}`);
  expect(alone.status).toBe(200);
  expect(await alone.text()).toBe(JSON.stringify({ ...listed, disclosed_attributes: ['name'] }));
});

test('shows unknown values as empty strings', async () => {
  const { person, contact } = await addPersonWithContact();
  expect((await portal.read(person, contact.uuid)).body).toMatchObject({
    fax: '',
    address: { street: '', zip: '', city: '', state: '', country_code: '' },
    statuses: ['ok'],
    disclosed_attributes: [],
  });
});

test("lists a person's contacts at every registrar page by page, in the order of the record ids", async () => {
  const { person, contact: first } = await addPersonWithContact();
  const second = await addContact(worker.env, await addRegistrar(worker.env), {
    ident: person.code,
  });
  const third = await addContact(
    worker.env,
    { id: first.registrarId, code: 'X' },
    {
      ident: person.code,
    },
  );
  const ids = async (query: string) =>
    ((await portal.list(person, query)).body.contacts as { id: string }[]).map(({ id }) => id);
  expect(await ids('')).toEqual([first.uuid, second.uuid, third.uuid]);
  expect(await ids('?limit=1')).toEqual([first.uuid]);
  expect(await ids('?limit=2&offset=1')).toEqual([second.uuid, third.uuid]);
  expect(await ids('?offset=-0')).toEqual([first.uuid, second.uuid, third.uuid]);
  expect(await ids('?offset=9007199254740991')).toEqual([]);
});

test.each([
  ['limit=201', 'limit', 'parameter is out of range'],
  ['after=7', 'after', 'After is invalid'],
])('refuses a list with ?%s', async (query, field, message) => {
  const person = await addPerson(worker.env);
  expect(await portal.list(person, `?${query}`)).toEqual(refused(field, message));
});

test('shows a contact of anybody else as missing', async () => {
  const { contact: other, registrar } = await addPersonWithContact();
  const person = await addPerson(worker.env, { countryCode: 'LV', code: `P${unique()}` });
  const sameCodeElsewhere = await addContact(worker.env, registrar, { ident: person.code });
  const ofAnotherType = await addContact(worker.env, registrar, {
    ident: person.code,
    identType: 'org',
    identCountryCode: 'LV',
  });
  const uuids = [other.uuid, sameCodeElsewhere.uuid, ofAnotherType.uuid, crypto.randomUUID()];
  for (const path of [...uuids, 'no-uuid', '%00', '%E0%A4%A']) {
    expect(await portal.read(person, path)).toEqual(missing);
    expect(await portal.update(person, path, { name: 'Mallory' })).toEqual(missing);
    expect(await answerOf(portal.request(person, 'GET', `/${path}/history`))).toEqual(missing);
  }
  expect((await portal.list(person)).body).toEqual({ contacts: [] });
});

test('finds a contact by its UUID, ignoring case', async () => {
  const { person, contact } = await addPersonWithContact();
  const { body } = await portal.read(person, contact.uuid.toUpperCase());
  expect(body.id).toBe(contact.uuid);
});

test.each([
  [{ name: 'Mari Kask' }, { name: 'Mari Kask' }],
  [{ fax: '' }, { fax: '' }],
  [{ fax: null }, { fax: '' }],
  [
    { disclosed_attributes: ['email', 'name', 'name'] },
    { disclosed_attributes: ['name', 'email'] },
  ],
  [{ disclosed_attributes: [] }, { disclosed_attributes: [] }],
])('changes only the given fields with %j', async (fields, changed) => {
  const { person, contact } = await addPersonWithContact({
    ...filled,
    disclosedAttributes: ['email'],
  });
  const before = (await portal.read(person, contact.uuid)).body;
  const expected = { status: 200, body: { ...before, ...changed } };
  expect(await portal.update(person, contact.uuid, fields)).toEqual(expected);
  expect(await portal.read(person, contact.uuid)).toEqual(expected);
});

const address = {
  street: 'Ülikooli 1',
  zip: '50090',
  city: 'Tartu',
  state: 'Tartumaa',
  country_code: 'EE',
};

test.each([
  [
    { zip: '10123', city: 'Tallinn' },
    { ...address, zip: '10123', city: 'Tallinn' },
  ],
  [{ country_code: 'fi' }, { ...address, country_code: 'FI' }],
  [
    { country_code: null, street: ' ' },
    { ...address, country_code: '', street: '' },
  ],
  [{}, address],
  [null, { street: '', zip: '', city: '', state: '', country_code: '' }],
])('merges the address %j field by field', async (given, merged) => {
  const { person, contact } = await addPersonWithContact(filled);
  const { body } = await portal.update(person, contact.uuid, { address: given });
  expect(body.address).toEqual(merged);
});

async function patchForm(person: { authorization: string }, uuid: string, form: string) {
  const response = await portal.request(person, 'PATCH', `/${uuid}`, form, {
    'Content-Type': 'application/x-www-form-urlencoded; charset=UTF-8',
  });
  return {
    status: response.status,
    ignored: response.headers.get('Ignored-Fields'),
    body: (await response.json()) as Record<string, unknown>,
  };
}

test('accepts the whole form of the portal, including empty fields', async () => {
  const { person, contact } = await addPersonWithContact(filled);
  const { status, ignored, body } = await patchForm(
    person,
    contact.uuid,
    'name=J%C3%B5geva+Mari&email=mari%40example.ee&phone=%2B372.5999999&fax=&address[street]=Pikk+2' +
      '&address%5Bcity%5D=&address[zip]=10123&address[state]=&address[country_code]=EE' +
      '&disclosed_attributes[]=name&disclosed_attributes[]=email&utf8=%E2%9C%93&address[planet]=Earth',
  );
  expect({ status, ignored }).toEqual({ status: 200, ignored: 'address.planet, utf8' });
  expect(body).toMatchObject({
    name: 'Jõgeva Mari',
    email: 'mari@example.ee',
    phone: '+372.5999999',
    fax: '',
    address: { street: 'Pikk 2', zip: '10123', city: '', state: '', country_code: 'EE' },
    disclosed_attributes: ['name', 'email'],
  });
});

test.each([
  ['disclosed_attributes[]=', []],
  ['disclosed_attributes[]=email', ['email']],
  ['disclosed_attributes[0]=name&disclosed_attributes[1]=email', ['name', 'email']],
])('reads the form %s as a list', async (form, disclosed) => {
  const { person, contact } = await addPersonWithContact({ disclosedAttributes: ['name'] });
  const { body } = await patchForm(person, contact.uuid, form);
  expect(body.disclosed_attributes).toEqual(disclosed);
});

test.each([
  [{ 'address[street]': 'Pikk 2' }, { ...address, street: 'Pikk 2' }],
  [
    { 'address[zip]': '10123', address: { city: 'Tallinn' } },
    { ...address, zip: '10123', city: 'Tallinn' },
  ],
  [
    { address: { city: 'Tallinn' }, 'address[state]': null },
    { ...address, city: 'Tallinn', state: '' },
  ],
])('reads the parts of the address in %j as in a form', async (given, merged) => {
  const { person, contact } = await addPersonWithContact(filled);
  const { status, body } = await portal.update(person, contact.uuid, given);
  expect([status, body.address]).toEqual([200, merged]);
});

test.each([
  [{ 'disclosed_attributes[]': ['email'] }, ['email']],
  [{ 'disclosed_attributes[]': 'email' }, ['email']],
  [{ 'disclosed_attributes[0]': 'name', 'disclosed_attributes[1]': 'email' }, ['name', 'email']],
  [{ 'disclosed_attributes[]': [] }, []],
])('reads %j as a list', async (given, disclosed) => {
  const { person, contact } = await addPersonWithContact({ disclosedAttributes: ['name'] });
  const { body } = await portal.update(person, contact.uuid, given);
  expect(body.disclosed_attributes).toEqual(disclosed);
});

test('names the unknown parts of JSON as those of a form', async () => {
  const { person, contact } = await addPersonWithContact(filled);
  const given = `{"address[planet]": "Earth", "address[street][x]": "y", "[name]": "z", "name": "Mari Kask",
    "__proto__[name]": "Mari", "address[__proto__]": {"city": "Narva"}, "constructor[prototype]": {"city": "Narva"}}`;
  const answer = await worker.fetch(`/api/v1/registrant/contacts/${contact.uuid}`, {
    method: 'PATCH',
    headers: { Authorization: person.authorization, 'Content-Type': 'application/json' },
    body: given,
  });
  expect([answer.status, answer.headers.get('Ignored-Fields')]).toEqual([
    200,
    'address.planet, address.street][x, address.__proto__, [name], __proto__, constructor',
  ]);
  expect(await answer.json()).toMatchObject({ name: 'Mari Kask', address });
});

test.each([
  [
    { address: { street: 'Pikk' }, 'address[street]': 'Lai' },
    'address.street',
    'Street is invalid',
  ],
  [{ 'address[]': 'Pikk' }, 'address', 'Address is invalid'],
  [{ 'address[street]': { name: 'Pikk' } }, 'address.street', 'Street is invalid'],
  [{ 'disclosed_attributes[]': ['phone'] }, 'disclosed_attributes', 'is not included in the list'],
])('refuses the parts in %j as those of a form', async (given, field, message) => {
  const { person, contact } = await addPersonWithContact();
  expect(await portal.update(person, contact.uuid, given)).toEqual(refused(field, message));
});

test('names all invalid fields at once, nested ones by their path', async () => {
  const { person, contact } = await addPersonWithContact();
  const fields = {
    name: 'x'.repeat(256),
    email: 'mari',
    phone: '123',
    fax: '+0.0',
    address: { street: 7, zip: 'x'.repeat(17), city: [], state: {}, country_code: 'XX' },
    disclosed_attributes: ['name', 'phone'],
  };
  expect(await portal.update(person, contact.uuid, fields)).toEqual({
    status: 400,
    body: {
      errors: {
        name: ['Name is invalid: has more than 255 characters'],
        email: ['Email is invalid: has no @'],
        phone: ['Phone nr is invalid'],
        fax: ['Fax nr is invalid'],
        'address.street': ['Street is invalid'],
        'address.zip': ['Zip is invalid: has more than 16 characters'],
        'address.city': ['City is invalid'],
        'address.state': ['State is invalid'],
        'address.country_code': ['Country code is invalid'],
        disclosed_attributes: ['is not included in the list'],
      },
    },
  });
});

test.each([
  [{ name: '' }, 'name', 'parameter is required'],
  [{ address: 'Tartu' }, 'address', 'Address is invalid'],
  [{ disclosed_attributes: 'name' }, 'disclosed_attributes', 'is not a list'],
  [
    { address: { street: 'Pikk 1\nTallinn' } },
    'address.street',
    'Street is invalid: contains a line break',
  ],
  [
    { phone: '\u202a+372.5123456' },
    'phone',
    'Phone nr is invalid: contains an invisible character (U+202A)',
  ],
])('refuses the change %j, and changes nothing', async (fields, field, message) => {
  const { person, contact } = await addPersonWithContact();
  const before = await portal.read(person, contact.uuid);
  const rest = { fax: '+372.6999999' };
  expect(await portal.update(person, contact.uuid, { ...rest, ...fields })).toEqual(
    refused(field, message),
  );
  expect(await portal.read(person, contact.uuid)).toEqual(before);
});

test.each([
  ['name=Mari&name=Kask', 'name', 'Name is invalid'],
  ['address[street]=Pikk&address[street]=Lai', 'address.street', 'Street is invalid'],
  ['address[]=Pikk', 'address', 'Address is invalid'],
  ['disclosed_attributes=name', 'disclosed_attributes', 'is not a list'],
])('refuses the form %s', async (form, field, message) => {
  const { person, contact } = await addPersonWithContact();
  const { status, body } = await patchForm(person, contact.uuid, form);
  expect({ status, body }).toEqual(refused(field, message));
});

test('reads the fields of a form by their names, even by those that JavaScript reserves', async () => {
  const { person, contact } = await addPersonWithContact();
  const form = '__proto__[name]=Mari&constructor=x&=y&[name]=z&name=Mari+Kask';
  const { status, ignored, body } = await patchForm(person, contact.uuid, form);
  expect({ status, ignored }).toEqual({
    status: 200,
    ignored: '__proto__, constructor, , [name]',
  });
  expect(body.name).toBe('Mari Kask');
});

test('refuses a body with only unknown fields, and names them', async () => {
  const { person, contact, registrar } = await addPersonWithContact();
  const fields = { ident: { code: '1' }, auth_info: 'mine' };
  const response = await portal.request(person, 'PATCH', `/${contact.uuid}`, fields);
  expect(response.status).toBe(400);
  expect(response.headers.get('Ignored-Fields')).toBe('ident, auth_info');
  expect(await response.json()).toEqual({ errors: { base: ['parameter is required'] } });
  expect(await repp.read(registrar, contact.code)).toMatchObject({
    updated_at: contact.updatedAt,
    updator_str: null,
  });
});

test('changes nothing if nothing is asked for', async () => {
  const { person, contact } = await addPersonWithContact();
  expect(await portal.update(person, contact.uuid, {})).toMatchObject({ status: 200 });
});

test.each([
  ['of more than 100 parameters', `name=Mari${'&x=1'.repeat(100)}`],
  ['that is not percent-encoded UTF-8', 'name=%ff'],
  ['that ends within an escape', 'name=Mari%4'],
])('refuses a form %s', async (_, form) => {
  const { person, contact } = await addPersonWithContact();
  const { status, body } = await patchForm(person, contact.uuid, form);
  expect({ status, body }).toEqual({
    status: 400,
    body: { errors: { base: ['Request body is not a valid form'] } },
  });
});

test('refuses to change a contact whose status is against updates', async () => {
  const { person, contact } = await addPersonWithContact({ statuses: ['pendingUpdate'] });
  expect(await portal.update(person, contact.uuid, { name: 'Mari Kask' })).toEqual(
    refused('base', 'Object status prohibits operation'),
  );
});

test('shows the registrar who changed the contact, by name, never by identity code', async () => {
  const { person, contact, registrar } = await addPersonWithContact();
  await portal.update(person, contact.uuid, { phone: '+372.5999999' });
  expect(await repp.read(registrar, contact.code)).toMatchObject({
    phone: '+372.5999999',
    updator_str: 'RegistrantUser: Mari Maasikas',
  });
});
