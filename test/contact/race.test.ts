import { afterEach, expect, test, vi } from 'vitest';
import type { Database } from '../../src/base/database/open.ts';
import { getContactByCode } from '../../src/contact/contact.ts';
import { createContact } from '../../src/contact/create.ts';
import { deleteContact } from '../../src/contact/delete.ts';
import { importContacts } from '../../src/contact/operator/import.ts';
import { transferContact } from '../../src/contact/operator/transfer.ts';
import { getContact } from '../../src/contact/read.ts';
import { updateContact } from '../../src/contact/update.ts';
import {
  addContact,
  addDomainOf,
  addRegistrar,
  contactValues,
  operator,
} from '../support/fixtures.ts';
import { beforeBatch } from '../support/meanwhile.ts';
import { shareWorker } from '../support/worker.ts';

const worker = shareWorker();

afterEach(() => {
  vi.restoreAllMocks();
});

const newRequest = () => ({
  at: new Date('2026-11-21T12:00:00Z'),
  requestId: crypto.randomUUID(),
});

/** The database, where somebody else writes between the first look and the write that follows it. */
const databaseWith = (somebodyElse: () => Promise<unknown>) =>
  beforeBatch(worker.env, 2, somebodyElse);

test('refuses to delete a contact that is linked after it was looked at', async () => {
  const registrar = await addRegistrar(worker.env);
  const contact = await addContact(worker.env, registrar);
  const db = databaseWith(() => addDomainOf(worker.env, contact));
  await expect(
    deleteContact({ db, login: registrar.login, request: newRequest() }, contact.code),
  ).rejects.toMatchObject({
    reason: 'linked',
  });
  const left = await getContact(worker.db, registrar.login, contact.code);
  expect(left.domainCount).toBe(1);
});

test('refuses to delete a contact that gets a prohibiting status after it was looked at', async () => {
  const registrar = await addRegistrar(worker.env);
  const { id, code } = await addContact(worker.env, registrar);
  const db = databaseWith(() =>
    worker.env.DB.prepare(
      `update contacts set statuses = '["serverDeleteProhibited"]', version = version + 1 where id = ?`,
    )
      .bind(id)
      .run(),
  );
  await expect(
    deleteContact({ db, login: registrar.login, request: newRequest() }, code),
  ).rejects.toMatchObject({
    reason: 'delete_prohibited',
  });
});

test('refuses to transfer a contact that is linked after it was looked at', async () => {
  const contact = await addContact(worker.env, await addRegistrar(worker.env));
  const { code: to } = await addRegistrar(worker.env);
  const db = beforeBatch(worker.env, 1, () => addDomainOf(worker.env, contact));
  await expect(transferContact({ db, origin: operator }, contact.code, to)).rejects.toMatchObject({
    reason: 'changed_meanwhile',
  });
  expect(await getContactByCode(worker.db, contact.code)).toMatchObject({ id: contact.id });
});

test('refuses to transfer a contact that has another version than was expected', async () => {
  const { id, code } = await addContact(worker.env, await addRegistrar(worker.env));
  const { code: to } = await addRegistrar(worker.env);
  await expect(transferContact(worker.operation, code, to, 'another')).rejects.toMatchObject({
    reason: 'changed_meanwhile',
  });
  expect(await getContactByCode(worker.db, code)).toMatchObject({ id });
});

test('keeps what somebody else changed after the contact was looked at', async () => {
  const registrar = await addRegistrar(worker.env);
  const { code } = await addContact(worker.env, registrar);
  const db = databaseWith(() =>
    updateContact({ db: worker.db, login: registrar.login, request: newRequest() }, code, () => ({
      city: 'Tartu',
    })),
  );
  await updateContact({ db, login: registrar.login, request: newRequest() }, code, () => ({
    name: 'Mari Kask',
  }));
  expect(await getContact(db, registrar.login, code)).toMatchObject({
    name: 'Mari Kask',
    city: 'Tartu',
    version: newRequest().at.getTime() + 1,
  });
});

test('finds a contact missing that is deleted after it was looked at', async () => {
  const registrar = await addRegistrar(worker.env);
  const { code } = await addContact(worker.env, registrar);
  const db = databaseWith(() =>
    deleteContact({ db: worker.db, login: registrar.login, request: newRequest() }, code),
  );
  await expect(
    updateContact({ db, login: registrar.login, request: newRequest() }, code, () => ({
      name: 'Mari Kask',
    })),
  ).rejects.toMatchObject({ reason: 'not_found' });
});

test('creates a contact with a chosen code once if the request is sent twice at the same time', async () => {
  const registrar = await addRegistrar(worker.env);
  const key = { value: 'once', requestDigest: 'a' };
  const create = (db: Database) =>
    createContact(
      { db, login: registrar.login, request: { ...newRequest(), key } },
      { ...contactValues, code: 'M1' },
    );
  let first: Awaited<ReturnType<typeof create>> | undefined;
  const db = databaseWith(async () => {
    first = await create(worker.db);
  });
  expect(await create(db)).toEqual({ ...first, isReplay: true });
});

test('imports the contacts that nobody else has added after they were looked for', async () => {
  const { code: registrar } = await addRegistrar(worker.env);
  const [one, other] = ['1', '2'].map((suffix) => ({
    ...contactValues,
    registrar,
    code: `${registrar}:${suffix}`,
  }));
  const somebodyElse = () => importContacts({ db: worker.db, origin: { ...operator } }, [one!]);
  const db = beforeBatch(worker.env, 1, somebodyElse);
  expect(await importContacts({ db, origin: { ...operator } }, [one!, other!])).toBe(1);
});

test('draws another code if the drawn one is taken', async () => {
  const registrar = await addRegistrar(worker.env);
  await addContact(worker.env, registrar, { code: `${registrar.code}:00000000` });
  const draw = crypto.getRandomValues.bind(crypto);
  let draws = 0;
  vi.spyOn(crypto, 'getRandomValues').mockImplementation((bytes) => {
    if (!(bytes instanceof Uint8Array) || bytes.length !== 4) return draw(bytes);
    draws += 1;
    return draws === 1 ? bytes.fill(0) : draw(bytes);
  });
  const { outcome } = await createContact(
    { db: worker.db, login: registrar.login, request: newRequest() },
    contactValues,
  );
  const { code } = outcome;
  expect(draws).toBe(2);
  expect(code).toMatch(new RegExp(`^${registrar.code}:[0-9A-F]{8}$`));
  expect(code).not.toBe(`${registrar.code}:00000000`);
});
