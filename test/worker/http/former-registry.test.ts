import { expect, test } from 'vitest';
import { answerOf, completed, registrantClient, registrarClient } from '../../support/client.ts';
import { addContact, addPerson, addRegistrar, send } from '../../support/fixtures.ts';
import { shareWorker } from '../../support/worker.ts';

/** Contacts with values that a former registry accepted and today's rules refuse. */

const worker = shareWorker();
const repp = registrarClient(worker);
const portal = registrantClient(worker);

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

async function addFormer(overrides: Parameters<typeof addContact>[2] = {}) {
  const [person, registrar] = [await addPerson(worker.env), await addRegistrar(worker.env)];
  const contact = await addContact(worker.env, registrar, {
    ident: person.code,
    ...former,
    ...overrides,
  });
  return { person, registrar, contact };
}

test('shows a registrar the values that a former registry accepted', async () => {
  const { registrar, contact } = await addFormer({
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
  const { person, registrar, contact } = await addFormer();
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
  const { person, contact } = await addFormer();
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
