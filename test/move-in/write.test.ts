import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { contacts, domainContacts, history } from '../../drizzle/schema.ts';
import { openDatabase } from '../../src/database/open.ts';
import { contactKind } from '../../src/move-in/contacts.ts';
import { domainKind } from '../../src/move-in/domains.ts';
import { type Form, type Kind, keyOf } from '../../src/move-in/kind.ts';
import { kinds } from '../../src/move-in/kinds.ts';
import { readForms } from '../../src/move-in/read.ts';
import { type RowChange, writeForms } from '../../src/move-in/write.ts';
import { counted } from '../support/counted.ts';
import { addContact, addDomainOf, addRegistrar, operator, unique } from '../support/fixtures.ts';
import { aroundBatches, beforeBatch } from '../support/meanwhile.ts';
import { shareWorker } from '../support/worker.ts';

const worker = shareWorker();

/** Writes the changes, and returns the keys of those that were not made. */
async function leftOf(kind: Kind, changes: RowChange[], db = worker.db) {
  const { actor, request } = operator;
  const left = await writeForms(db, { actor, request }, kind, changes);
  return left.map(({ change }) => change.to![kind.key[0]!]);
}

async function formOf(kind: Kind, key: string): Promise<Form> {
  const forms = await Array.fromAsync(readForms(worker.db, kind));
  return forms.find((form) => keyOf(kind, form) === key)!;
}

const timestamp = '2015-03-04T05:06:07.123Z';

const addition = (to: Form): RowChange => ({ action: 'add', from: null, to });

function domainOf(registrar: string, more: Form = {}): Form {
  const name = `nimi${unique()}.ee`;
  return {
    name,
    registrar,
    registrant: '[]',
    admin: '[]',
    tech: '[]',
    created_at: timestamp,
    ...more,
  };
}

test('leaves a row of a registrar that is not here', async () => {
  const domain = domainOf('PUUDUB');
  expect(await leftOf(domainKind, [addition(domain)])).toEqual([domain.name]);
});

test('leaves a domain that needs a contact which is not here', async () => {
  const { code } = await addRegistrar(worker.env);
  const here = domainOf(code);
  const lacking = domainOf(code, { admin: '["PUUDUB:1"]' });
  expect(await leftOf(domainKind, [addition(here), addition(lacking)])).toEqual([lacking.name]);
  const to = { ...here, tech: '["PUUDUB:1"]' };
  const update: RowChange = { action: 'update', from: here, to };
  expect(await leftOf(domainKind, [update])).toEqual([here.name]);
  const entries = await worker.db.$count(history, eq(history.subjectKey, here.name!));
  expect(entries).toBe(1);
});

test('leaves a contact that is to get another id if its domains change meanwhile, even to as many', async () => {
  const { db, env } = worker;
  const registrar = await addRegistrar(env);
  const contact = await addContact(env, registrar);
  await addDomainOf(env, contact);
  const from = await formOf(contactKind, contact.code);
  const change = { action: 'replace', from, to: { ...from, id: `1${contact.id}` } } as const;
  const links = db.select().from(domainContacts).where(eq(domainContacts.contactId, contact.id));
  const racing = beforeBatch(env, 1, async () => {
    await db.delete(domainContacts).where(eq(domainContacts.contactId, contact.id));
    await addDomainOf(env, contact);
  });
  const before = await links;
  expect(await leftOf(contactKind, [change], racing)).toEqual([contact.code]);
  const after = await links;
  expect([before.length, after.length]).toEqual([1, 1]);
  expect(after).not.toEqual(before);
  expect(await leftOf(contactKind, [change])).toEqual([]);
  expect(await links).toEqual([]);
  const [{ domainId }] = after as [(typeof after)[number]];
  const moved = await db.select().from(domainContacts).where(eq(domainContacts.domainId, domainId));
  expect(moved).toMatchObject([{ contactId: Number(change.to.id), role: 'registrant' }]);
});

test('gives a contact another id once, and keeps a later change, although its batch is reported as failed', async () => {
  const { db, env } = worker;
  const contact = await addContact(env, await addRegistrar(env));
  const from = await formOf(contactKind, contact.code);
  const change = { action: 'replace', from, to: { ...from, id: `1${contact.id}` } } as const;
  let batches = 0;
  const failing = aroundBatches(env, async (send, number) => {
    const results = await send();
    batches = number;
    if (number > 1) return results;
    await db.update(contacts).set({ city: 'Tartu' }).where(eq(contacts.code, contact.code));
    throw new Error('D1_ERROR: Network connection lost.');
  });
  expect(await leftOf(contactKind, [change], failing)).toEqual([]);
  expect(batches).toBe(2);
  const rows = await db.select().from(contacts).where(eq(contacts.code, contact.code));
  expect(rows).toMatchObject([{ id: Number(change.to.id), city: 'Tartu' }]);
  expect(await db.$count(history, eq(history.subjectKey, contact.code))).toBe(2);
});

test('leaves a contact that is to get another UUID if its id is the number of another one by now', async () => {
  const { db, env } = worker;
  const registrar = await addRegistrar(env);
  const contact = await addContact(env, registrar);
  await addContact(env, registrar, { number: contact.id });
  const from = await formOf(contactKind, contact.code);
  const change = { action: 'replace', from, to: { ...from, uuid: crypto.randomUUID() } } as const;
  expect(await leftOf(contactKind, [change])).toEqual([contact.code]);
  expect(await db.select().from(contacts).where(eq(contacts.code, contact.code))).toEqual([
    contact,
  ]);
});

test('gives a contact that comes back a version that it never had', async () => {
  const contact = await addContact(worker.env, await addRegistrar(worker.env));
  const versions: number[] = [];
  const write = async (change: RowChange) => {
    expect(await leftOf(contactKind, [change])).toEqual([]);
    const where = eq(contacts.code, contact.code);
    const [row] = await worker.db.select().from(contacts).where(where);
    if (row) versions.push(row.version);
  };
  const first = await formOf(contactKind, contact.code);
  const second = { ...first, name: 'Jaan' };
  await write({ action: 'update', from: first, to: second });
  await write({ action: 'remove', from: second, to: null });
  await write(addition(first));
  await write({ action: 'update', from: first, to: second });
  await write({ action: 'replace', from: second, to: { ...second, id: `1${first.id}` } });
  expect(versions).toHaveLength(4);
  expect(new Set([contact.version, ...versions]).size).toBe(5);
});

test.each(['contacts', 'auctions'])(
  'reads as much to add one of the %s, however many there are',
  async (name) => {
    const kind = kinds.find((one) => one.name === name)!;
    const contact = await addContact(worker.env, await addRegistrar(worker.env));
    const given: Form = {
      ...(kind === contactKind && (await formOf(contactKind, contact.code))),
      ...{ name: 'nimi.ee', status: 'no_bids', created_at: timestamp, updated_at: timestamp },
    };
    const newForm = () => {
      const n = unique();
      const own: Form = { uuid: crypto.randomUUID(), id: `7${n}`, code: `${contact.code}${n}` };
      return Object.fromEntries(
        Object.keys(kind.columns).map((column) => [column, own[column] ?? given[column] ?? null]),
      );
    };
    const { env, counts } = counted(worker.env);
    const readToAdd = async (count: number) => {
      const before = counts.rowsRead;
      const changes = Array.from({ length: count }, () => addition(newForm()));
      expect(await leftOf(kind, changes, openDatabase(env.DB))).toEqual([]);
      return counts.rowsRead - before;
    };
    const first = await readToAdd(1);
    await readToAdd(50);
    expect(await readToAdd(1)).toBe(first);
  },
);
