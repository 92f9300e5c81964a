import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { contacts } from '../../drizzle/schema.ts';
import { versionOf } from '../../src/contact/contact.ts';
import { changeContactStatuses, deleteAnyContact } from '../../src/contact/operator/administer.ts';
import { importContacts } from '../../src/contact/operator/import.ts';
import { transferContact } from '../../src/contact/operator/transfer.ts';
import { planRevert, revert } from '../../src/undo/revert.ts';
import { registrantClient, registrarClient } from '../support/client.ts';
import {
  addContact,
  addRegistrar,
  bearer,
  contactValues,
  newContact,
  operator,
  unique,
} from '../support/fixtures.ts';
import { shareEmptyWorker } from '../support/worker.ts';
import { copyRows, replaceRows } from '../tool/empty-again.ts';

const worker = shareEmptyWorker();
const repp = registrarClient(worker);
const portal = registrantClient(worker);

const command = () => ({
  actor: operator.actor,
  request: { at: new Date(), requestId: crypto.randomUUID() },
});

async function plantContact() {
  const registrar = await addRegistrar(worker.env);
  return { registrar, ...(await addContact(worker.env, registrar)) };
}

type Planted = Awaited<ReturnType<typeof plantContact>>;

/** Ways to write a contact, with another value each time. */
const writes: Record<string, (contact: Planted) => Promise<unknown>> = {
  'an update by its registrar': ({ registrar, code }) =>
    repp.update(registrar, code, { phone: `+372.${unique()}` }),
  'a verification': ({ registrar, code }) => {
    const verification = { claim: 'email', method: 'link', reference: `${unique()}` };
    return repp.request(registrar, 'POST', `/${code}/verifications`, { verification });
  },
  'an update by the person': async ({ uuid }) =>
    portal.update({ authorization: await bearer(worker) }, uuid, { phone: `+372.${unique()}` }),
  'a status': ({ code }) => {
    const change = { add: ['serverTransferProhibited'], remove: [], note: `${unique()}` } as const;
    return changeContactStatuses({ db: worker.db, origin: command() }, code, change);
  },
  'a transfer': async ({ code }) =>
    transferContact(
      { db: worker.db, origin: command() },
      code,
      (await addRegistrar(worker.env)).code,
    ),
  'an addition with its UUID': async ({ registrar, code, uuid }) => {
    await worker.db.delete(contacts).where(eq(contacts.uuid, uuid));
    const record = { ...contactValues, registrar: registrar.code, code, uuid };
    await importContacts({ db: worker.db, origin: command() }, [
      { ...record, phone: `+372.${unique()}` },
    ]);
  },
  'a deletion that is taken back': async ({ code }) => {
    const deletion = command();
    await deleteAnyContact({ db: worker.db, origin: deletion }, code);
    const plan = await planRevert({ db: worker.db, origin: command() }, deletion.request.requestId);
    await revert({ db: worker.db, origin: command() }, plan);
  },
};

test.each(Object.entries(writes))(
  'after a restore, %s gives a contact no entity tag that it had before',
  async (_, write) => {
    const contact = await plantContact();
    const tags = [];
    const copy = await copyRows(worker.env.DB);
    for (let times = 0; times < 2; times += 1) {
      await replaceRows(worker.env.DB, copy);
      expect(await copyRows(worker.env.DB)).toEqual(copy);
      await write(contact);
      const [row] = await worker.db.select().from(contacts).where(eq(contacts.uuid, contact.uuid));
      tags.push(versionOf(row!));
    }
    expect(new Set([versionOf(contact), ...tags]).size).toBe(3);
  },
);

test('the first version of a contact is the time of its creation', async () => {
  const before = Date.now();
  const registrar = await addRegistrar(worker.env);
  const created = await repp.request(registrar, 'POST', '', { contact: newContact() });
  const [, version] = /^"[0-9a-f]{8}-(\d+)"$/.exec(created.headers.get('ETag')!)!;
  expect(Number(version)).toBeGreaterThanOrEqual(before);
  expect(Number(version)).toBeLessThanOrEqual(Date.now());
});
