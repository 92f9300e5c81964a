import { expect, test } from 'vitest';
import { contactStatuses } from '../../../../drizzle/schema.ts';
import { deleteAnyContact } from '../../../../src/contact/operator/administer.ts';
import { completed, missing, refused, registrarClient } from '../../../support/client.ts';
import { addContact, addDomainOf, addOwnContact, addRegistrar } from '../../../support/fixtures.ts';
import { shareWorker } from '../../../support/worker.ts';

const worker = shareWorker();
const repp = registrarClient(worker);

const done = completed({});
const linked = (detail: string) =>
  refused(2305, 'Object association prohibits operation [domains]', 'domains', 400, detail);

test('deletes a contact: it is gone from the list, and a second delete does not find it', async () => {
  const registrar = await addRegistrar(worker.env);
  const [first, second] = [
    await addContact(worker.env, registrar),
    await addContact(worker.env, registrar),
  ];
  expect(await repp.delete(registrar, first.code.toLowerCase())).toEqual(done);
  const { body: list } = await repp.list(registrar);
  expect(list).toEqual({ contacts: [second.code], total_number_of_records: 1 });
  expect(await repp.delete(registrar, first.code)).toEqual(missing);
});

test('names the domain that prohibits a deletion', async () => {
  const { registrar, contact } = await addOwnContact(worker.env);
  const domain = await addDomainOf(worker.env, contact);
  expect(await repp.delete(registrar, contact.code)).toEqual(
    linked(`1 domain refers to the contact: ${domain.name}.`),
  );
});

test('names up to ten of the domains that prohibit a deletion, none of another registrar, and counts all', async () => {
  const { registrar, contact } = await addOwnContact(worker.env);
  const other = await addRegistrar(worker.env);
  const theirs = await addDomainOf(worker.env, { ...contact, registrarId: other.id });
  const deletion = async () => (await repp.delete(registrar, contact.code.toLowerCase())).body;
  expect(await deletion()).toEqual(
    linked('1 domain refers to the contact, of other registrars.').body,
  );
  const names: string[] = [];
  for (let n = 0; n < 11; n++) names.push((await addDomainOf(worker.env, contact)).name);
  const { detail } = (await deletion()).errors[0];
  expect(detail).toMatch(/^12 domains refer to the contact, among them ([^ ]+, ){9}[^ ]+\.$/);
  expect(names.filter((name) => detail.includes(name))).toHaveLength(10);
  expect(detail).not.toContain(theirs.name);
  await expect(deleteAnyContact(worker.operation, contact.code)).rejects.toMatchObject({
    problems: [{ reason: 'linked', detail }],
  });
});

const refusesDeletion = ['clientDeleteProhibited', 'serverDeleteProhibited', 'pendingDelete'];

test.each(contactStatuses)('judges a deletion of a contact whose status is %s', async (status) => {
  const { registrar, code } = await addOwnContact(worker.env, { statuses: [status] });
  expect(await repp.delete(registrar, code)).toMatchObject(
    refusesDeletion.includes(status)
      ? refused(2304, 'Contact delete prohibited by status [statuses]', 'statuses')
      : done,
  );
});

test('deletes a contact once if two delete it at once', async () => {
  const { registrar, code } = await addOwnContact(worker.env);
  const answers = await Promise.all([repp.delete(registrar, code), repp.delete(registrar, code)]);
  expect(answers.sort((one, other) => one.status - other.status)).toEqual([done, missing]);
});

test('records what a deleted contact was and the key of its identity, without what is secret or technical', async () => {
  const { registrar, contact } = await addOwnContact(worker.env, { city: 'Tartu' });
  await repp.delete(registrar, contact.code);
  const { results } = await worker.env.DB.prepare(
    'select action, subject_uuid, actor_type, actor, changes from history where subject_key = ?',
  )
    .bind(contact.code)
    .all<{ changes: string }>();
  expect(results.map((row) => ({ ...row, changes: JSON.parse(row.changes) }))).toEqual([
    {
      action: 'delete',
      subject_uuid: contact.uuid,
      actor_type: 'api_user',
      actor: `${registrar.apiUser.id}-ApiUser: ${registrar.apiUser.username}`,
      changes: {
        name: { from: contact.name, to: null },
        email: { from: contact.email, to: null },
        phone: { from: '+372.5123456', to: null },
        ident: { from: '38001085718', to: null, key: '38001085718' },
        identType: { from: 'priv', to: null },
        identCountryCode: { from: 'EE', to: null },
        authInfo: { redacted: true },
        city: { from: 'Tartu', to: null },
      },
    },
  ]);
});
