import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contacts, history, notifications } from '../../../drizzle/schema.ts';
import { keysOf } from '../../../src/contact/contact.ts';
import {
  answerOf,
  completed,
  refused,
  registrantClient,
  registrarClient,
} from '../../support/client.ts';
import { addContact, addPerson, addRegistrar, send } from '../../support/fixtures.ts';
import { shareWorker } from '../../support/worker.ts';

/** A value that a client repeats is no change and is not judged, whatever a former registry accepted. */

const worker = shareWorker();
const repp = registrarClient(worker);
const portal = registrantClient(worker);

type Values = NonNullable<Parameters<typeof addContact>[2]>;

async function addFormer(values: Values) {
  const [person, registrar] = [await addPerson(worker.env), await addRegistrar(worker.env)];
  const contact = await addContact(worker.env, registrar, { ident: person.code, ...values });
  return { person, registrar, contact };
}

/** The contact in the database, with the number of its changes. */
async function stored({ code }: { code: string }) {
  const [[row], changes] = await worker.db.batch([
    worker.db.select().from(contacts).where(eq(contacts.code, code)),
    worker.db.select().from(history).where(eq(history.subjectKey, code)),
  ]);
  return { row: row!, changes: changes.map((entry) => entry.changes) };
}

const done = { status: 200, body: { code: 1000 } };

/** A form of the portal: `address[street]=…`, `disclosed_attributes[]=name`. */
function formOf(fields: Record<string, unknown>): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (Array.isArray(value)) for (const each of ['', ...value]) form.append(`${name}[]`, each);
    else if (typeof value === 'object')
      for (const [part, text] of Object.entries(value!)) form.append(`${name}[${part}]`, text);
    else form.append(name, String(value));
  }
  return form;
}

const sendForm = (person: { authorization: string }, uuid: string, fields: object) =>
  answerOf(
    worker.fetch(`/api/v1/registrant/contacts/${uuid}`, {
      method: 'PATCH',
      headers: { Authorization: person.authorization },
      body: formOf({ ...fields }),
    }),
  );

const formerText = fc.constantFrom(
  '',
  ' ',
  'Mari Maasikas',
  '  Mari\u00a0',
  '+3725551234',
  'AN',
  'ee',
  'mari@',
  'Mari\u0007\tMaasikas\r\n',
  'O\u0308rn',
  '\u200b',
  'ß'.repeat(300),
);
const optionalText = fc.option(formerText);

/** A contact of a person, as a former registry may have kept it. */
const formerContact = fc.record({
  name: formerText,
  email: formerText,
  phone: formerText,
  authInfo: formerText,
  fax: optionalText,
  orgName: optionalText,
  street: optionalText,
  city: optionalText,
  zip: optionalText,
  state: optionalText,
  countryCode: optionalText,
  disclosedAttributes: fc.subarray(['phone', 'email', 'name']),
  statuses: fc.subarray(['serverHold', 'pendingTransfer']),
});

/** Values that each differ from every former one: the body of an update, and the column that it changes. */
const registrarChanges: [object, Values][] = [
  [{ name: 'Uus Nimi' }, { name: 'Uus Nimi' }],
  [{ email: 'uus@example.ee' }, { email: 'uus@example.ee' }],
  [{ org_name: 'Uus OÜ' }, { orgName: 'Uus OÜ' }],
  [{ addr: { city: 'Narva' } }, { city: 'Narva' }],
  [{ addr: { country_code: 'fi' } }, { countryCode: 'FI' }],
];
const registrantChanges: [object, Values][] = [
  [{ phone: '+372.5999999' }, { phone: '+372.5999999' }],
  [{ fax: '+372.6999999' }, { fax: '+372.6999999' }],
  [{ address: { zip: '20304' } }, { zip: '20304' }],
  [{ address: { country_code: 'LV' } }, { countryCode: 'LV' }],
];

/** The body with the fields of another, parts of groups beside each other. */
function withFields(body: Record<string, unknown>, other: object): Record<string, unknown> {
  const merged = { ...body };
  for (const [name, value] of Object.entries(other)) {
    const isGroup = typeof value === 'object' && !Array.isArray(value);
    merged[name] = isGroup ? { ...(body[name] as object), ...value } : value;
  }
  return merged;
}

type Row = typeof contacts.$inferSelect;

/** The row with the changed values, and of the row after it what every change sets. */
function changedRow(before: Row, changed: object, after: Row): Row {
  const { version, updater, updatedAt } = after;
  return { ...before, ...changed, ...keysOf(after), version, updater, updatedAt };
}

test('a registrar may repeat any of a contact’s values, and changes only what it changes', async () => {
  const world = await addFormer({});
  await fc.assert(
    fc.asyncProperty(
      formerContact,
      fc.record({ identType: formerText, identCountryCode: formerText, ident: formerText }),
      fc.subarray(['name', 'email', 'phone', 'fax', 'org_name', 'auth_info'] as const),
      fc.subarray(['street', 'city', 'zip', 'state', 'country_code'] as const),
      fc.subarray(['ident', 'ident_type', 'ident_country_code'] as const),
      fc.constantFrom(...registrarChanges),
      async (values, identity, fields, parts, identityParts, [change, changed]) => {
        const { registrar } = world;
        const contact = await addContact(worker.env, registrar, { ...values, ...identity });
        const before = await stored(contact);
        const shown = await repp.read(registrar, contact.code);
        const of = (names: readonly string[]) =>
          Object.fromEntries(names.map((name) => [name, shown[name]]));
        const body = { ...of(fields), addr: of(parts), ident: of(identityParts) };
        expect(await repp.update(registrar, contact.code, body)).toMatchObject(done);
        expect(await stored(contact)).toEqual(before);

        const other = withFields(body, change);
        expect(await repp.update(registrar, contact.code, other)).toMatchObject(done);
        const after = await stored(contact);
        expect(after.row).toEqual(changedRow(before.row, changed, after.row));
        expect(after.changes.map(Object.keys)).toEqual([Object.keys(changed)]);
      },
    ),
    { numRuns: 12 },
  );
});

test('either caller may send back the whole contact that it has read, which changes nothing', async () => {
  const { person, registrar } = await addFormer({});
  await fc.assert(
    fc.asyncProperty(
      formerContact,
      fc.record({ identType: formerText, identCountryCode: formerText, ident: formerText }),
      async (values, identity) => {
        const contact = await addContact(worker.env, registrar, { ...values, ...identity });
        const before = await stored(contact);
        const shown = await repp.read(registrar, contact.code);
        expect(await repp.update(registrar, contact.code, shown)).toMatchObject(done);
        expect(await stored(contact)).toEqual(before);

        const own = await addContact(worker.env, registrar, { ident: person.code, ...values });
        const kept = await stored(own);
        const { body } = await portal.read(person, own.uuid);
        expect(await portal.update(person, own.uuid, body)).toEqual({ status: 200, body });
        expect(await stored(own)).toEqual(kept);
      },
    ),
    { numRuns: 20 },
  );
});

test('a registrant may repeat any of a contact’s values in JSON and in a form, and changes only what they change', async () => {
  const { person, registrar } = await addFormer({});
  await fc.assert(
    fc.asyncProperty(
      formerContact,
      fc.subarray(['name', 'email', 'phone', 'fax', 'disclosed_attributes'] as const),
      fc.subarray(['street', 'city', 'zip', 'state', 'country_code'] as const),
      fc.constantFrom(...registrantChanges),
      fc.constantFrom(portal.update, sendForm),
      async (values, fields, parts, [change, changed], update) => {
        const contact = await addContact(worker.env, registrar, { ident: person.code, ...values });
        const before = await stored(contact);
        const { body: shown } = await portal.read(person, contact.uuid);
        const body = {
          ...Object.fromEntries(fields.map((name) => [name, shown[name]])),
          ...(parts.length > 0 && {
            address: Object.fromEntries(parts.map((name) => [name, shown.address[name]])),
          }),
        };
        expect(await update(person, contact.uuid, body)).toEqual({ status: 200, body: shown });
        expect(await stored(contact)).toEqual(before);

        const other = withFields(body, change);
        expect(await update(person, contact.uuid, other)).toMatchObject({ status: 200 });
        const after = await stored(contact);
        expect(after.row).toEqual(changedRow(before.row, changed, after.row));
        expect(after.changes.map(Object.keys)).toEqual([Object.keys(changed)]);
        const [notification] = await worker.db
          .select()
          .from(notifications)
          .where(eq(notifications.subjectKey, contact.code));
        expect(notification!.fields).toEqual(
          Object.keys((await changesShown(registrar, contact))!),
        );
      },
    ),
    { numRuns: 12 },
  );
});

async function changesShown(registrar: { authorization: string }, { code }: { code: string }) {
  const { body } = await answerOf(repp.request(registrar, 'GET', `/${code}/history`));
  return body.data.history[0].changes as object;
}

test('another value is judged beside repeated ones, with every problem at once', async () => {
  const former = { phone: '+3725551234', countryCode: 'AN', email: '' };
  const { registrar, contact } = await addFormer(former);
  const before = await stored(contact);
  const other = {
    ...{ phone: '+3725551234', email: ' ', fax: '+3725551234', name: '\u0007' },
    addr: { country_code: 'SU', city: 'Tartu' },
  };
  const answer = await repp.update(registrar, contact.code, other);
  expect(answer).toMatchObject({ status: 400, body: { code: 2005 } });
  expect(answer.body.errors.map(({ field }: { field: string }) => field)).toEqual([
    'name',
    'fax',
    'addr.country_code',
  ]);
  expect(await stored(contact)).toEqual(before);
});

test('a value is repeated with or without the spaces around it, in either Unicode form', async () => {
  const former = { name: '  O\u0308rn ', city: '\tTartu', countryCode: 'an' };
  const { registrar, contact } = await addFormer(former);
  const before = await stored(contact);
  for (const name of ['  O\u0308rn ', 'O\u0308rn', 'Örn']) {
    const fields = { name, addr: { city: 'Tartu', country_code: 'AN' } };
    expect(await repp.update(registrar, contact.code, fields)).toMatchObject(done);
  }
  expect(await stored(contact)).toEqual(before);
});

test('a required value that is on record cannot be cleared, and an unknown one may stay so', async () => {
  const { registrar, contact } = await addFormer({ email: '' });
  const before = await stored(contact);
  expect(await repp.update(registrar, contact.code, { email: null })).toMatchObject(done);
  expect(await repp.update(registrar, contact.code, { name: '' })).toEqual(
    refused(2003, 'Required parameter missing [name]', 'name'),
  );
  expect(await stored(contact)).toEqual(before);
});

test('null draws a new auth_info where the one on record is blank', async () => {
  const { registrar, contact } = await addFormer({ authInfo: '' });
  expect(await repp.update(registrar, contact.code, { auth_info: null })).toMatchObject(done);
  expect((await stored(contact)).row.authInfo).toMatch(/^[0-9a-f]{22}$/);
});

test('a type of identity that is unknown today may be repeated, but not taken on', async () => {
  const { registrar, contact } = await addFormer({ identType: 'passport', ident: 'A\u0007 1' });
  const update = (ident: object) => repp.update(registrar, contact.code, { ident });
  expect(await update({ ident: 'A\u0007 1', ident_type: 'passport' })).toMatchObject(done);
  expect(await update({ ident_type: 'other' })).toEqual(
    refused(
      ...([2005, 'Ident type is invalid [ident.ident_type]', 'ident.ident_type', 400] as const),
      'Expected: one of priv, org, birthday.',
    ),
  );
  expect(await update({ ident_type: 'priv' })).toMatchObject({ body: { code: 2308 } });
});

test('a stale version is reported before values of that version are judged', async () => {
  const { registrar, contact } = await addFormer({ phone: '+3725551234' });
  const read = await repp.request(registrar, 'GET', `/${contact.code}`);
  const stale = { 'If-Match': read.headers.get('ETag')! };
  await repp.update(registrar, contact.code, { phone: '+372.5551234' });
  const fields = { phone: '+3725551234', addr: { city: 'Tartu' } };
  expect(await repp.update(registrar, contact.code, fields, stale)).toMatchObject({ status: 412 });
});

/** Contacts with values that a former registry accepted and today's rules refuse. */

const former = {
  name: `\u0007 ${'Mari '.repeat(60)}`,
  email: '',
  phone: '+3725551234',
  fax: ' 6 123 456',
  countryCode: 'AN',
  zip: '',
  statuses: ['serverHold', 'ok '],
  disclosedAttributes: ['phone'],
};

test('shows a registrar the values that a former registry accepted', async () => {
  const { registrar, contact } = await addFormer({
    ...former,
    ident: '',
    identType: 'passport',
    identCountryCode: 'Soviet Union',
  });
  const shown = {
    name: former.name,
    email: '',
    phone: '+3725551234',
    fax: ' 6 123 456',
    ident: '',
    ident_type: 'passport',
    ident_country_code: 'Soviet Union',
    country_code: 'AN',
    zip: '',
    city: '',
    statuses: ['serverHold', 'ok '],
  };
  expect(await repp.read(registrar, contact.code)).toMatchObject(shown);
  expect(await repp.list(registrar, '?details=true')).toMatchObject({
    status: 200,
    body: { contacts: [shown] },
  });
  expect(await repp.list(registrar)).toMatchObject({ body: { contacts: [contact.code] } });
  expect(await answerOf(await repp.request(registrar, 'GET', `/check/${contact.code}`))).toEqual(
    completed({ contact: { id: contact.code, available: false } }),
  );
});

test('shows in history and notifications what replaced such values', async () => {
  const { person, registrar, contact } = await addFormer(former);
  const fields = { phone: '+372.5551234', address: { country_code: 'EE' }, name: former.name };
  expect(await portal.update(person, contact.uuid, fields)).toMatchObject({ status: 200 });
  const entry = {
    changes: {
      phone: { from: '+3725551234', to: '+372.5551234' },
      country_code: { from: 'AN', to: 'EE' },
    },
  };
  const path = `/${contact.code}/history`;
  expect((await answerOf(repp.request(registrar, 'GET', path))).body.data.history).toEqual([
    expect.objectContaining(entry),
  ]);
  const ofPerson = await answerOf(portal.request(person, 'GET', `/${contact.uuid}/history`));
  expect(ofPerson.body.history).toEqual([expect.objectContaining(entry)]);
  const notification = worker.fetch('/repp/v1/registrar/notifications', send('GET', registrar));
  expect((await answerOf(notification)).body.data.fields).toEqual(['phone', 'country_code']);
});

test('shows a person the values that a former registry accepted', async () => {
  const { person, contact } = await addFormer(former);
  const shown = {
    name: former.name,
    email: '',
    phone: '+3725551234',
    fax: ' 6 123 456',
    address: { street: '', zip: '', city: '', state: '', country_code: 'AN' },
    statuses: ['serverHold', 'ok '],
  };
  expect(await portal.list(person)).toMatchObject({ status: 200, body: { contacts: [shown] } });
  expect(await portal.read(person, contact.uuid)).toMatchObject({
    status: 200,
    body: { ...shown, disclosed_attributes: ['phone'] },
  });
  const exported = await worker.fetch('/api/v1/registrant/export', send('GET', person));
  expect(await exported.json()).toMatchObject({
    contacts: [{ ...shown, disclosed_attributes: ['phone'] }],
  });
});
