import { asc, eq, sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { contacts, history, idempotencyKeys } from '../../drizzle/schema.ts';
import { deleteContact } from '../../src/contact/delete.ts';
import { sameIdentitySince } from '../../src/contact/entries.ts';
import {
  deleteAnyContact,
  listDeletedContactsBy,
  updateAnyContact,
} from '../../src/contact/operator/administer.ts';
import { eraseFormerPerson } from '../../src/contact/operator/erase-former.ts';
import { updateContactOfPerson } from '../../src/contact/update.ts';
import { recordVerification } from '../../src/contact/verification/verification.ts';
import type { Person } from '../../src/party/registrant/token.ts';
import type { RegistrarCall } from '../../src/party/registrar/login.ts';
import { registrarClient } from '../support/client.ts';
import { addContact, addDisclosure, addPerson, addRegistrar, unique } from '../support/fixtures.ts';
import { beforeBatch } from '../support/meanwhile.ts';
import { shareWorker } from '../support/worker.ts';

interface RaceWith {
  call: RegistrarCall;
  code: string;
  uuid: string;
  person: Person;
}

const worker = shareWorker();
const repp = registrarClient(worker);

const former = { name: 'Former Tamm', email: 'former@example.ee' };
const present = { name: 'Present Kask', email: 'present@example.ee' };

/** A contact of the first of two persons. */
async function addContactOfTwo() {
  const registrar = await addRegistrar(worker.env);
  const [first, second] = await Promise.all(
    [1, 2].map(() => addPerson(worker.env, { countryCode: 'LV' })),
  );
  const identity = { ident: first!.code, identCountryCode: 'LV' };
  const { code, uuid } = await addContact(worker.env, registrar, { ...identity, ...former });
  const verify = (claim: string, reference: string) => {
    const verification = { claim, method: 'letter', reference };
    return repp.request(registrar, 'POST', `/${code}/verifications`, { verification });
  };
  return { registrar, first: first!.code, second: second!.code, code, uuid, verify };
}

const correct = (code: string, values: object) => updateAnyContact(worker.operation, code, values);
const eraseFormer = (uuid: string, ident: string) =>
  eraseFormerPerson(worker.operation, uuid, ident);

async function historyOf(uuid: string): Promise<string> {
  const entries = worker.db.select().from(history).where(eq(history.subjectUuid, uuid));
  const rows = await entries.orderBy(asc(history.id));
  return rows.map(({ changes }) => JSON.stringify(changes)).join('\n');
}

it('of an entry of the present person, only a check goes that had ended with the former one', async () => {
  const { registrar, first, second, code, uuid, verify } = await addContactOfTwo();
  await verify('email', 'former reference');
  await correct(code, { ident: second, ...present });
  await repp.update(registrar, code, { addr: { city: 'Tartu' } });
  await deleteAnyContact(worker.operation, code);
  await eraseFormer(uuid, first);
  const left = await historyOf(uuid);
  expect(left).not.toContain('former reference');
  expect(left).not.toContain(former.email);
  const page = { after: undefined, limit: 10 };
  const found = await listDeletedContactsBy(worker.db, { ident: second }, page);
  expect(found).toMatchObject([{ uuid, ended: 'deleted' }]);
});

it('the present person keeps a check of their own that has ended', async () => {
  const { registrar, first, second, code, uuid, verify } = await addContactOfTwo();
  await verify('name', 'former reference');
  await correct(code, { ident: second });
  await correct(code, { name: present.name });
  await verify('name', 'present reference');
  await repp.update(registrar, code, { name: 'Present Tamm' });
  await eraseFormer(uuid, first);
  const left = await historyOf(uuid);
  expect(left).not.toContain('former reference');
  expect(left).toContain('{"name":{"from":"Present Kask","to":"Present Tamm"},"nameVerification"');
  const [row] = await worker.db.select().from(contacts).where(eq(contacts.uuid, uuid));
  expect(row).toMatchObject({
    nameVerification: { reference: 'present reference', result: 'ended' },
  });
});

it('the first person, who has the contact again, keeps what was before the other', async () => {
  const { registrar, first, second, code, uuid } = await addContactOfTwo();
  await repp.update(registrar, code, { addr: { city: 'Tartu' } });
  await correct(code, { ident: second, ...present });
  await correct(code, { ident: first, ...former });
  expect(await eraseFormer(uuid, second)).toMatchObject({ entries: 2 });
  const left = await historyOf(uuid);
  expect(left).toContain('Tartu');
  expect(left).not.toContain(present.email);
  expect(left).not.toContain(second);
});

it('who has the contact now, or had it when it was deleted, is no former person of it', async () => {
  const { first, second, code, uuid } = await addContactOfTwo();
  for (const identKey of [first, second]) {
    const identity = { identKey, identType: 'priv', identCountryCode: 'LV' };
    await addDisclosure(worker.env, identity, { contactUuid: uuid, contactCode: code });
  }
  const refusal = `${code} belongs to this person now`;
  await expect(eraseFormer(uuid, first)).rejects.toThrow(refusal);
  await correct(code, { ident: second, ...present });
  await deleteAnyContact(worker.operation, code);
  await expect(eraseFormer(uuid, second)).rejects.toThrow(refusal);
  expect(await eraseFormer(uuid, first)).toMatchObject({ disclosures: 1 });
});

it('a former person who has the contact again in that moment is not erased', async () => {
  const { first, second, code, uuid } = await addContactOfTwo();
  await correct(code, { ident: second, ...present });
  const db = beforeBatch(worker.env, 1, () => correct(code, { ident: first, ...former }));
  const erasure = eraseFormerPerson({ ...worker.operation, db }, uuid, first);
  await expect(erasure).rejects.toThrow(`${code} belongs to this person now`);
  expect(await historyOf(uuid)).toContain(former.email);
});

it.each(['-', '\u200b'])(
  'a former person is found by a code that was written with %j',
  async (separator) => {
    const { second, code, uuid } = await addContactOfTwo();
    const ident = `A${unique()}`;
    await correct(code, { ident: `${ident}${separator}B`, ...former });
    const [spelled] = await worker.db.select().from(contacts).where(eq(contacts.uuid, uuid));
    expect(spelled).toMatchObject({ identKey: `${ident}B` });
    await correct(code, { ident: second, ...present });
    expect(await eraseFormer(uuid, `${ident}B`)).toMatchObject({ entries: 2 });
  },
);

it('a person whose code is only written in another way is no former person', async () => {
  const { first, code, uuid } = await addContactOfTwo();
  const db = worker.db;
  for (const ident of [`${first}\u2014`, `*${first}`, `${first}&\u200b`]) {
    await correct(code, { ident });
    expect(
      await listDeletedContactsBy(db, { ident: first }, { after: undefined, limit: 10 }),
    ).toEqual([]);
  }
  const since = await db.all(sql`select ${sameIdentitySince(sql`${uuid}`)} as id`);
  expect(since).toEqual([{ id: 0 }]);
});

it.each<[string, (at: RaceWith) => Promise<unknown>]>([
  ['deletes it', ({ call, code }) => deleteContact(call, code)],
  [
    'checks it again',
    ({ call, code }) => recordVerification(call, code, { claim: 'email', method: 'call' }),
  ],
  [
    'repeats with a key what is there',
    ({ call, uuid, person }) => {
      const request = { ...call.request, key: { value: 'key', requestDigest: 'digest' } };
      return updateContactOfPerson({ db: call.db, person, request }, uuid, () => ({}));
    },
  ],
])('whoever %s meanwhile, no copy of the former person stays', async (_, write) => {
  const { registrar, first, second, code, uuid, verify } = await addContactOfTwo();
  await verify('email', 'former reference');
  await correct(code, { ident: second, ...present });
  const db = beforeBatch(worker.env, 2, () => eraseFormer(uuid, first));
  const request = { at: new Date(), requestId: crypto.randomUUID() };
  const person = { countryCode: 'LV', code: second, firstName: 'P', lastName: 'K' };
  await write({ call: { db, login: registrar.login, request }, code, uuid, person });
  const kept = await worker.db.select({ outcome: idempotencyKeys.outcome }).from(idempotencyKeys);
  expect(`${await historyOf(uuid)} ${JSON.stringify(kept)}`).not.toContain('former reference');
});
