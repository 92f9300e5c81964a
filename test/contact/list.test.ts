import { expect, test } from 'vitest';
import { openDatabase } from '../../src/base/database/open.ts';
import { listContactCodes, listContacts } from '../../src/contact/list.ts';
import { counted } from '../support/counted.ts';
import { addContacts, addRegistrar } from '../support/fixtures.ts';
import { shareWorker } from '../support/worker.ts';

const worker = shareWorker();

const contactsInBlock = 1024;

/** A registrar with contacts numbered 1 to `count`, without those that `isDeleted` picks. */
async function addRegistrarWith(count: number, isDeleted: (number: number) => boolean) {
  const registrar = await addRegistrar(worker.env);
  await addContacts(worker.env, registrar, count);
  const numbers = Array.from({ length: count }, (_, n) => n + 1);
  await worker.env.DB.prepare(
    'delete from contacts where registrar_id = ? and number in (select value from json_each(?))',
  )
    .bind(registrar.id, JSON.stringify(numbers.filter(isDeleted)))
    .run();
  return registrar;
}

const layouts: [string, number, (number: number) => boolean][] = [
  ['without gaps', 3 * contactsInBlock, () => false],
  ['every third deleted', 3 * contactsInBlock + 100, (n) => n % 3 === 0],
  ['a block and more deleted in the middle', 4 * contactsInBlock, (n) => n > 900 && n < 2100],
  ['the beginning deleted', 3 * contactsInBlock, (n) => n < 1500],
  ['the end deleted', 3 * contactsInBlock, (n) => n > 1500],
  ['all but a few deleted', 3 * contactsInBlock, (n) => ![1, 1023, 1024, 1025, 3000].includes(n)],
];

test.each(layouts)('returns the page at any offset: %s', async (_, count, isDeleted) => {
  const { id, login } = await addRegistrarWith(count, isDeleted);
  const { results } = await worker.env.DB.prepare(
    'select code from contacts where registrar_id = ? order by id',
  )
    .bind(id)
    .all<{ code: string }>();
  const all = results.map(({ code }) => code);
  const db = worker.db;
  const edges = [contactsInBlock, 2 * contactsInBlock, 3 * contactsInBlock, all.length];
  const offsets = new Set([
    ...[0, 1, 2, 3, 4, 5, 6, 700, 1500],
    ...edges.flatMap((edge) => [edge - 201, edge - 1, edge, edge + 1]),
  ]);
  for (const offset of offsets) {
    if (offset < 0) continue;
    const { contacts: codes, total } = await listContactCodes(db, login, { limit: 200, offset });
    expect({ offset, codes, total }).toEqual({
      offset,
      codes: all.slice(offset, offset + 200),
      total: all.length,
    });
  }
  const page = { limit: 7, offset: contactsInBlock - 3 };
  const { contacts } = await listContacts(db, login, page);
  expect((contacts as { code: string }[]).map(({ code }) => code)).toEqual(
    all.slice(contactsInBlock - 3, contactsInBlock + 4),
  );
});

/** The database with the limit of D1 for a text, which the local runtime lacks. */
function databaseWithLimit() {
  const { DB } = worker.env;
  const binding = {
    prepare: (query: string) => DB.prepare(query),
    async batch(statements: D1PreparedStatement[]) {
      const results = await DB.batch<Record<string, unknown>>(statements);
      const values = results.flatMap(({ results }) => results.flatMap(Object.values));
      if (values.some((value) => String(value).length > 2_000_000)) {
        throw new Error('D1_ERROR: string or blob too big: SQLITE_TOOBIG');
      }
      return results;
    },
  };
  return openDatabase(binding as unknown as D1Database);
}

test('returns a page of contacts that are longer together than a text in D1 may be', async () => {
  const { id, login } = await addRegistrarWith(200, () => false);
  await worker.env.DB.prepare(
    "update contacts set status_notes = json_object('ok', hex(zeroblob(6000))) where registrar_id = ?",
  )
    .bind(id)
    .run();
  const page = { limit: 200, offset: 0 };
  const { contacts, total } = await listContacts(databaseWithLimit(), login, page);
  expect({ total, count: contacts.length }).toEqual({ total: 200, count: 200 });
  expect(contacts.at(-1)).toMatchObject({ status_notes: { ok: '0'.repeat(12_000) } });
});

test('shortens a page of a search whose contacts are longer together than a text in D1 may be', async () => {
  const { id, login } = await addRegistrarWith(30, () => false);
  await worker.env.DB.prepare(
    "update contacts set status_notes = json_object('ok', hex(zeroblob(50000))) where registrar_id = ?",
  )
    .bind(id)
    .run();
  const db = databaseWithLimit();
  const filters = { identCountryCode: 'EE' };
  const first = await listContacts(db, login, { limit: 200, offset: 0 }, filters);
  expect(first).toMatchObject({ contacts: { length: 10 }, total: null });
  const page = { limit: 200, offset: 0, after: Number(first.next) };
  const { contacts } = await listContacts(db, login, page, filters);
  expect([...first.contacts, ...contacts]).toHaveLength(20);
});

test('walks at most one block for a page at a large offset, in one round trip', async () => {
  const { login } = await addRegistrarWith(8 * contactsInBlock, (n) => n % 5 === 0);
  for (const offset of [0, 1, contactsInBlock, 3000, 6000]) {
    const { env, counts } = counted(worker.env);
    await listContactCodes(openDatabase(env.DB), login, { limit: 200, offset });
    expect(counts.d1RoundTrips).toBe(1);
    expect(counts.rowsRead).toBeLessThanOrEqual(offset === 0 ? 250 : contactsInBlock + 350);
  }
});
