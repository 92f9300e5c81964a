import { expect, test } from 'vitest';
import { openDatabase } from '../../../src/base/database/open.ts';
import { updateAnyContact } from '../../../src/contact/operator/administer.ts';
import {
  declineDisclosure,
  grantDisclosure,
  openDisclosure,
} from '../../../src/contact/operator/disclosure/disclosure.ts';
import { getDisclosure } from '../../../src/contact/operator/disclosure/read.ts';
import { eraseContact } from '../../../src/contact/operator/erase.ts';
import { Faults } from '../../attack/faults.ts';
import { addContact, addRegistrar, operator } from '../../support/fixtures.ts';
import { beforeBatch } from '../../support/meanwhile.ts';
import { shareWorker } from '../../support/worker.ts';

const worker = shareWorker();

const open = (code: string, db = worker.db) =>
  openDisclosure(
    { db, origin: operator },
    {
      ...{ contact: code, requester: 'Jaan Tamm', identifiedBy: 'ID card', organization: 'Police' },
      ...{ basis: 'case 12-3', requestedFields: ['email'], isConfidential: false },
      receivedAt: operator.request.at,
    },
  );

async function addRequest() {
  const contact = await addContact(worker.env, await addRegistrar(worker.env));
  return { contact, id: (await open(contact.code)).id };
}

const grant = (id: number, db = worker.db) =>
  // Each try reads the request of the origin again.
  grantDisclosure({ db, origin: { ...operator, request: operator.request } }, id, {});

/** The one batch of a grant writes. */
const beforeWrite = (work: () => Promise<unknown>) => beforeBatch(worker.env, 1, work);

test.each(['refused', 'granted'] as const)(
  'a grant is refused if the request was %s after it was looked at',
  async (outcome) => {
    const { id } = await addRequest();
    const meanwhile = () =>
      outcome === 'granted'
        ? grant(id)
        : declineDisclosure(worker.operation, id, { outcome, explanation: 'no basis' });
    await expect(grant(id, beforeWrite(meanwhile))).rejects.toMatchObject({ reason: 'conflict' });
    expect((await getDisclosure(worker.db, id)).disclosure).toMatchObject({ outcome });
  },
);

test('a grant is refused if the contact has another holder when it is written', async () => {
  const { id, contact } = await addRequest();
  const changes = { ident: '47101010033' };
  const change = () => updateAnyContact(worker.operation, contact.code, changes);
  await expect(grant(id, beforeWrite(change))).rejects.toMatchObject({ reason: 'conflict' });
  expect((await getDisclosure(worker.db, id)).disclosure).toMatchObject({ outcome: null });
});

test('a grant discloses the value that the contact has when it is written', async () => {
  const { id, contact } = await addRequest();
  const values = { email: 'other@example.ee' };
  const change = () => updateAnyContact(worker.operation, contact.code, values);
  expect(await grant(id, beforeWrite(change))).toMatchObject({ values });
  expect((await getDisclosure(worker.db, id)).disclosure).toMatchObject({ outcome: 'granted' });
});

test('a grant is refused if the contact is erased when it is written', async () => {
  const { id, contact } = await addRequest();
  const erase = () => eraseContact(worker.operation, contact.code);
  await expect(grant(id, beforeWrite(erase))).rejects.toMatchObject({ reason: 'gone' });
  expect((await getDisclosure(worker.db, id)).disclosure).toMatchObject({
    outcome: null,
    contactUuid: null,
  });
});

test('a request is not opened about a contact that is erased meanwhile', async () => {
  const { contact, id } = await addRequest();
  const erase = () => eraseContact(worker.operation, contact.code);
  const db = beforeBatch(worker.env, 2, erase);
  await expect(open(contact.code, db)).rejects.toMatchObject({ reason: 'not_found' });
  await expect(getDisclosure(worker.db, id + 1)).rejects.toMatchObject({ reason: 'not_found' });
});

test('two requests that are opened at once have numbers of their own', async () => {
  const { contact, id } = await addRequest();
  const first: number[] = [];
  const db = beforeBatch(worker.env, 2, async () => first.push((await open(contact.code)).id));
  const second = await open(contact.code, db);
  expect([...first, second.id]).toEqual([id + 1, id + 2]);
});

test('a grant is made once, whichever call of the database fails, or is done and reported as failed', async () => {
  for (const isDone of [true, false]) {
    for (const call of [0, 1]) {
      const { contact, id } = await addRequest();
      const fault = { message: 'D1_ERROR: Network connection lost.', isDone };
      const db = openDatabase(new Faults(fault, (n) => n === call).wrap(worker.env).DB);
      expect(await grant(id, db)).toMatchObject({
        disclosure: { id, outcome: 'granted' },
        values: { email: contact.email },
      });
      const entries = await worker.env.DB.prepare(
        "select action from history where subject = 'disclosure' and subject_key = ?",
      )
        .bind(String(id))
        .all();
      expect(entries.results).toEqual([{ action: 'create' }, { action: 'update' }]);
    }
  }
});
