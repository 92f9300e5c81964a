import { eq, inArray } from 'drizzle-orm';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { contacts, domainContacts, history, notifications, sweeps } from '../../drizzle/schema.ts';
import { deleteOrphans } from '../../src/contact/delete.ts';
import { importContacts } from '../../src/contact/operator/import.ts';
import {
  addContact,
  addDomainOf,
  addRegistrar,
  contactValues,
  operator,
} from '../support/fixtures.ts';
import { beforeBatch } from '../support/meanwhile.ts';
import { shareEmptyWorker } from '../support/worker.ts';

const worker = shareEmptyWorker();
let registrar: Awaited<ReturnType<typeof addRegistrar>>;
beforeAll(async () => {
  registrar = await addRegistrar(worker.env);
});
beforeEach(async () => {
  await worker.db.delete(domainContacts);
  await worker.db.delete(contacts);
  await worker.db.delete(sweeps);
});

const at = new Date('2026-05-06T07:08:09.010Z');
const limit = '2026-01-01T00:00:00.000Z';
const long = '2025-12-31T23:59:59.999Z';

const deleteThem = (limits?: Parameters<typeof deleteOrphans>[3]) =>
  deleteOrphans(worker.db, limit, { at, requestId: crypto.randomUUID() }, limits);

const add = (overrides: Partial<typeof contacts.$inferInsert> = {}) =>
  addContact(worker.env, registrar, { createdAt: long, ...overrides });

const codes = async () =>
  (await worker.db.select().from(contacts).orderBy(contacts.id)).map(({ code }) => code);

it('contacts that no domain refers to are deleted after their time, by the scheduled run, with history of what they were', async () => {
  const contact = await add({ name: 'Mari Maasikas', fax: '+372.6123456' });
  expect(await deleteThem()).toBe(1);
  expect(await codes()).toEqual([]);
  const entries = await worker.db
    .select()
    .from(history)
    .where(eq(history.subjectUuid, contact.uuid));
  expect(entries).toMatchObject([
    {
      occurredAt: at.toISOString(),
      action: 'delete',
      actorType: 'cron',
      actor: 'Scheduled run',
      changes: {
        name: { from: 'Mari Maasikas', to: null },
        fax: { from: '+372.6123456', to: null },
      },
    },
  ]);
});

it('contacts that no domain refers to are named to their registrar, which is told nothing of what stays', async () => {
  const contact = await add();
  await addDomainOf(worker.env, await add());
  await worker.db.delete(notifications);
  expect(await deleteThem()).toBe(1);
  expect(await worker.db.select().from(notifications)).toEqual([
    {
      id: expect.any(Number),
      registrarId: registrar.id,
      event: 'contact.deleted',
      cause: null,
      text: `Contact ${contact.code} has been deleted by registry`,
      subjectKey: contact.code,
      fields: [],
      createdAt: at.toISOString(),
      readAt: null,
    },
  ]);
});

it('contacts that no domain refers to stay while they are younger, while a domain refers to them, and while a status prohibits their deletion', async () => {
  const young = await add({ createdAt: limit });
  const linked = await add();
  await addDomainOf(worker.env, linked);
  const prohibited = [
    await add({ statuses: ['clientDeleteProhibited'] }),
    await add({ statuses: ['serverUpdateProhibited', 'serverDeleteProhibited'] }),
    await add({ statuses: ['pendingDelete'] }),
  ];
  const free = await add({ statuses: ['clientUpdateProhibited'] });
  expect(await deleteThem()).toBe(1);
  expect(await codes()).toEqual([young, linked, ...prohibited].map(({ code }) => code));
  expect(await codes()).not.toContain(free.code);
});

it('contacts that no domain refers to have their time counted from when the last reference went', async () => {
  const contact = await add();
  const first = await addDomainOf(worker.env, contact);
  const second = await addDomainOf(worker.env, contact);
  const unlinkedAt = async () => {
    const [row] = await worker.db.select().from(contacts).where(eq(contacts.id, contact.id));
    return row?.unlinkedAt;
  };
  const unlink = ({ id }: { id: number }) =>
    worker.db.delete(domainContacts).where(eq(domainContacts.domainId, id));
  await unlink(first);
  expect(await unlinkedAt()).toBeNull();
  const earliest = new Date().toISOString();
  await unlink(second);
  const instant = await unlinkedAt();
  expect(instant).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(instant! >= earliest && instant! <= new Date().toISOString()).toBe(true);
  expect(await deleteThem()).toBe(0);
  await worker.db.update(contacts).set({ unlinkedAt: long });
  expect(await deleteThem()).toBe(1);
});

it('contacts that no domain refers to have their time counted from their import, however old they are', async () => {
  const record = {
    registrar: registrar.code,
    code: `${registrar.code}:IMPORTED`,
    ...contactValues,
    createdAt: '2015-09-09T09:11:14.861Z',
  } as const;
  await importContacts(worker.operation, [record]);
  expect(await deleteThem()).toBe(0);
  const later = new Date(operator.request.at.getTime() + 1).toISOString();
  expect(await deleteOrphans(worker.db, later, { at, requestId: 'later' })).toBe(1);
});

it('contacts that no domain refers to go in parts, of which each run does some, and each begins where the last one stopped', async () => {
  const added: Awaited<ReturnType<typeof add>>[] = [];
  for (let n = 0; n < 7; n++) added.push(await add(n === 2 ? { createdAt: limit } : {}));
  const left = async () => {
    const ids = added.map(({ id }) => id);
    return (await worker.db.select().from(contacts).where(inArray(contacts.id, ids))).length;
  };
  const limits = { window: 2, windows: 10, deletions: 3 };
  expect(await deleteThem(limits)).toBe(3);
  expect(await left()).toBe(4);
  expect(await deleteThem({ ...limits, windows: 1 })).toBe(2);
  expect(await deleteThem(limits)).toBe(1);
  expect(await codes()).toEqual([added[2]!.code]);
});

it('contacts that no domain refers to are kept if a domain is linked while the run is at work', async () => {
  const contact = await add();
  const db = beforeBatch(worker.env, 1, () => addDomainOf(worker.env, contact));
  expect(await deleteOrphans(db, limit, { at, requestId: 'raced' })).toBe(0);
  expect(await codes()).toEqual([contact.code]);
});
