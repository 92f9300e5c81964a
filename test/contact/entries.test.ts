import { expect, it } from 'vitest';
import { updateAnyContact } from '../../src/contact/operator/administer.ts';
import { importContacts } from '../../src/contact/operator/import.ts';
import { answerOf, registrantClient, registrarClient } from '../support/client.ts';
import { addContact, addPerson, addRegistrar, contactValues, send } from '../support/fixtures.ts';
import { shareWorker } from '../support/worker.ts';

const worker = shareWorker();
const repp = registrarClient(worker);
const portal = registrantClient(worker);

/** A contact that was changed and deleted, and came back under another code, where it was changed again. */
async function addMoved() {
  const registrar = await addRegistrar(worker.env);
  const person = await addPerson(worker.env, { countryCode: 'LV' });
  const identity = { ident: person.code, identCountryCode: 'LV' };
  const former = await addContact(worker.env, registrar, identity);
  await repp.update(registrar, former.code, { phone: '+372.5000001' });
  await repp.update(registrar, former.code, { phone: '+372.5000002' });
  await repp.delete(registrar, former.code);
  const { uuid } = former;
  const present = { ...contactValues, ...identity, uuid, code: `${registrar.code}:PRESENT` };
  await importContacts(worker.operation, [{ registrar: registrar.code, ...present }]);
  await repp.update(registrar, present.code, { phone: '+372.5000003' });
  return { registrar, person, uuid, former, present };
}

interface Shown {
  changes: { phone: { to: string | null } };
}
const phonesOf = (entries: Shown[]) => entries.map(({ changes }) => changes.phone.to);
const all = ['+372.5000003', contactValues.phone, null, '+372.5000002', '+372.5000001'];

const exportOf = async (person: { authorization: string }) =>
  (await answerOf(worker.fetch('/api/v1/registrant/export', send('GET', person)))).body;

it('the history of a contact is whole for its registrar, whatever code it had, in pages as well', async () => {
  const { registrar, present, former } = await addMoved();
  for (const code of [present.code, former.code]) {
    const { body } = await repp.list(registrar, `/${code}/history`);
    expect(phonesOf(body.data.history)).toEqual(all);
  }
  const page = repp.list(registrar, `/${present.code}/history?limit=2&offset=1`);
  expect(phonesOf((await page).body.data.history)).toEqual(all.slice(1, 3));
});

it('the history of a contact is whole for its person, whatever code it had, and once in the export', async () => {
  const { person, uuid, present } = await addMoved();
  const { body } = await portal.list(person, `/${uuid}/history`);
  expect(phonesOf(body.history)).toEqual(all);
  const { contacts, deleted_contacts } = await exportOf(person);
  expect(contacts).toMatchObject([{ id: uuid, code: present.code }]);
  expect(phonesOf(contacts[0].history)).toEqual(all.toReversed());
  expect(deleted_contacts).toEqual([]);
});

it('the history of a contact that was deleted under its second code is in the export, once', async () => {
  const { registrar, person, uuid, present } = await addMoved();
  await repp.delete(registrar, present.code);
  const { contacts, deleted_contacts } = await exportOf(person);
  expect(contacts).toEqual([]);
  expect(deleted_contacts).toMatchObject([{ id: uuid, code: present.code }]);
  expect(phonesOf(deleted_contacts[0].history)).toEqual([...all.toReversed(), null]);
});

it('the history of a contact under a former code is nobody’s after its identity was corrected', async () => {
  const { person, uuid, present } = await addMoved();
  const other = await addPerson(worker.env, { countryCode: 'LV' });
  await updateAnyContact(worker.operation, present.code, { ident: other.code });
  const { body } = await portal.list(other, `/${uuid}/history`);
  expect(body.history).toMatchObject([{ changes: { ident: { redacted: true } } }]);
  expect((await exportOf(other)).contacts).toMatchObject([{ history: [{}] }]);
  expect(await exportOf(person)).toMatchObject({ contacts: [], deleted_contacts: [] });
  expect((await portal.list(person, `/${uuid}/history`)).status).toBe(404);
});
