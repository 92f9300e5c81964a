import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { contacts } from '../../drizzle/schema.ts';
import { changeTime } from '../../src/contact/contact.ts';
import { createContact } from '../../src/contact/create.ts';
import { deleteContact } from '../../src/contact/delete.ts';
import { importContacts } from '../../src/contact/operator/import.ts';
import { updateContact } from '../../src/contact/update.ts';
import { addContact, addRegistrar, contactValues, operator } from '../support/fixtures.ts';
import { shareWorker } from '../support/worker.ts';

const worker = shareWorker();

/** A request that came at this time of a day, whenever it is written. */
const at = (time: string) => ({
  at: new Date(`2026-03-04T${time}Z`),
  requestId: crypto.randomUUID(),
});

async function changedAt(code: string): Promise<string | undefined> {
  const [row] = await worker.db.select().from(contacts).where(eq(contacts.code, code));
  return row?.updatedAt;
}

test('a change has the time of its request', async () => {
  const registrar = await addRegistrar(worker.env);
  const { code } = await addContact(worker.env, registrar);
  await updateContact(
    { db: worker.db, login: registrar.login, request: at('12:00:00.5') },
    code,
    () => ({ name: 'Ants' }),
  );
  expect(await changedAt(code)).toBe('2026-03-04T12:00:00.500Z');
});

test('what is written later has a later time, whichever request came first', async () => {
  const { db } = worker;
  const registrar = await addRegistrar(worker.env);
  const { login, code: prefix } = registrar;
  const created = (id: string, time: string) =>
    createContact({ db, login, request: at(time) }, { ...contactValues, code: id });
  await created('A', '12:00:00.999');
  await created('B', '12:00:00.998');
  expect(await changedAt(`${prefix}:B`)).toBe('2026-03-04T12:00:01.000Z');
  await updateContact({ db, login, request: at('11:59:00') }, `${prefix}:A`, () => ({
    name: 'Ants',
  }));
  expect(await changedAt(`${prefix}:A`)).toBe('2026-03-04T12:00:01.001Z');
});

test('the times of deleted contacts are not used again', async () => {
  const { db } = worker;
  const registrar = await addRegistrar(worker.env);
  const { login, code: prefix } = registrar;
  const { code } = await addContact(worker.env, registrar);
  await createContact({ db, login, request: at('12:00:00') }, { ...contactValues, code: 'A' });
  await deleteContact({ db, login, request: at('12:00:01') }, `${prefix}:A`);
  await updateContact({ db, login, request: at('11:00:00') }, code, () => ({ name: 'Ants' }));
  expect(await changedAt(code)).toBe('2026-03-04T12:00:00.001Z');
});

test('a time that was set back is not used again', async () => {
  const registrar = await addRegistrar(worker.env);
  const { code } = await addContact(worker.env, registrar, {
    updatedAt: '2026-03-04T12:00:00.000Z',
  });
  const rows = worker.db.update(contacts).set({ updatedAt: '2026-01-01T00:00:00.000Z' });
  await rows.where(eq(contacts.code, code));
  await updateContact(
    { db: worker.db, login: registrar.login, request: at('11:00:00') },
    code,
    () => ({ name: 'Ants' }),
  );
  expect(await changedAt(code)).toBe('2026-03-04T12:00:00.001Z');
});

test('imported contacts keep the times that they bring, and others are as new as their import', async () => {
  const { env, db } = worker;
  const registrar = await addRegistrar(env);
  await addContact(env, registrar, { updatedAt: '2026-08-09T10:11:12.131Z' });
  const record = { ...contactValues, registrar: registrar.code };
  const updatedAt = '2019-01-01T00:00:00.000Z';
  await importContacts({ db, origin: operator }, [
    { ...record, code: `${registrar.code}:OLD`, updatedAt },
    { ...record, code: `${registrar.code}:NEW` },
  ]);
  expect(await changedAt(`${registrar.code}:OLD`)).toBe(updatedAt);
  expect(await changedAt(`${registrar.code}:NEW`)).toBe('2026-08-09T10:11:12.132Z');
});

test('the next time is one millisecond later, whatever the millisecond', async () => {
  const { env, db } = worker;
  const registrar = await addRegistrar(env);
  const { id } = await addContact(env, registrar);
  const start = Date.UTC(2026, 11, 31, 23, 59, 59);
  const early = changeTime(registrar.id, new Date(0));
  for (const from of [0, 250, 500, 750]) {
    const times = Array.from({ length: 250 }, (_, n) => new Date(start + from + n).toISOString());
    const results = await db.batch(
      times.flatMap((updatedAt) => [
        db.update(contacts).set({ updatedAt }).where(eq(contacts.id, id)),
        db.select({ next: early }).from(contacts).where(eq(contacts.id, id)),
      ]) as never,
    );
    const next = (results as unknown[]).filter((_, index) => index % 2 === 1);
    const expected = times.map((time) => [{ next: new Date(Date.parse(time) + 1).toISOString() }]);
    expect(next).toEqual(expected);
  }
});
