import { asc, eq, gte } from 'drizzle-orm';
import fc from 'fast-check';
import { beforeAll, beforeEach, expect, inject, it, test } from 'vitest';
import {
  contacts,
  type FieldChange,
  history,
  historyPermits,
  sweeps,
} from '../../drizzle/schema.ts';
import { monthsBefore } from '../../src/base/time/day.ts';
import { removeOldValues } from '../../src/contact/recorded-values.ts';
import { addContact, addEntry, addRegistrar, unique } from '../support/fixtures.ts';
import { shareEmptyWorker } from '../support/worker.ts';

const worker = shareEmptyWorker();
let registrar: Awaited<ReturnType<typeof addRegistrar>>;
beforeAll(async () => {
  registrar = await addRegistrar(worker.env);
});

const entriesOf = (contact: { uuid: string }) =>
  worker.db
    .select()
    .from(history)
    .where(eq(history.subjectUuid, contact.uuid))
    .orderBy(asc(history.id));

const changesOf = async (contact: { uuid: string }) =>
  (await entriesOf(contact)).map(({ changes }) => changes);

const value = { from: 'a', to: 'b' };
const removed = { removed: true };
const beforeThisYear = '2026-01-01T00:00:00.000Z';

/** Every window of every part: what the runs of some hours do. */
async function removeAll(before: string): Promise<number> {
  let sum = 0;
  for (;;) {
    sum += await removeOldValues(worker.db, before);
    const [place] = await worker.db.select().from(sweeps);
    if (place?.after === 0) return sum;
  }
}
beforeEach(() => worker.db.delete(sweeps));

it('values in old history are replaced in every personal field, and in no other', async () => {
  const contact = await addContact(worker.env, registrar);
  const personal = {
    name: value,
    ident: value,
    email: value,
    phone: value,
    fax: value,
    street: value,
    zip: value,
    city: value,
    state: value,
    countryCode: value,
    orgName: value,
    statusNotes: { from: {}, to: { clientHold: 'Mari' } },
    legacyId: value,
    creator: value,
    updater: value,
  };
  const other = {
    identType: value,
    identCountryCode: value,
    authInfo: { redacted: true } as const,
    statuses: { from: [], to: ['clientDeleteProhibited'] },
    disclosedAttributes: { from: null, to: ['name'] },
  };
  const old = await addEntry(worker.env, contact, { changes: { ...personal, ...other } });
  const newest = await addEntry(worker.env, contact, { changes: { name: value } });
  await removeAll(beforeThisYear);
  const gone = Object.fromEntries(Object.keys(personal).map((field) => [field, removed]));
  expect(await entriesOf(contact)).toEqual([{ ...old, changes: { ...gone, ...other } }, newest]);
});

it('values in old history stay in the newest entry of a contact that exists, until there is a newer one', async () => {
  const contact = await addContact(worker.env, registrar);
  await addEntry(worker.env, contact, { changes: { name: value } });
  await removeAll(beforeThisYear);
  expect(await changesOf(contact)).toEqual([{ name: value }]);
  await addEntry(worker.env, contact, {
    occurredAt: '2026-06-01T00:00:00.000Z',
    changes: { fax: value },
  });
  await removeAll(beforeThisYear);
  expect(await changesOf(contact)).toEqual([{ name: removed }, { fax: value }]);
});

it('values in old history go from the newest entry of a deleted contact, whatever has its code now', async () => {
  const gone = { code: `${registrar.code}:AGAIN`, uuid: crypto.randomUUID() };
  await addEntry(worker.env, gone, { action: 'delete' });
  const successor = await addContact(worker.env, registrar, { code: gone.code });
  await addEntry(worker.env, successor);
  await removeAll(beforeThisYear);
  expect(await changesOf(gone)).toEqual([{ name: removed }]);
  expect(await changesOf(successor)).toEqual([{ name: { from: 'Mari', to: 'Mari Maasikas' } }]);
});

it('values in old history go from under a former code of a contact that exists', async () => {
  const contact = await addContact(worker.env, registrar);
  await addEntry(
    worker.env,
    { code: `${contact.code}-FORMER`, uuid: contact.uuid },
    { action: 'delete' },
  );
  await addEntry(worker.env, contact, { action: 'create', changes: { fax: value } });
  await removeAll(beforeThisYear);
  expect(await changesOf(contact)).toEqual([{ name: removed }, { fax: value }]);
});

it('values in old history stay where they are younger, and in what is no contact', async () => {
  const contact = { code: 'GONE:1', uuid: crypto.randomUUID() };
  const young = await addEntry(worker.env, contact, { occurredAt: beforeThisYear });
  const registrars = await addEntry(worker.env, contact, { subject: 'registrar' });
  await removeAll(beforeThisYear);
  expect(await entriesOf(contact)).toEqual([young, registrars]);
});

it('values in old history go in parts, of which each run does some, and each begins where the last one stopped', async () => {
  const contact = { code: 'GONE:2', uuid: crypto.randomUUID() };
  for (let n = 0; n < 10; n++) await addEntry(worker.env, contact);
  const { id: first } = (await entriesOf(contact))[0]!;
  await worker.db.insert(sweeps).values({ name: 'history_values', after: first - 1 });
  const left = async () =>
    (await changesOf(contact)).filter(({ name }) => name && 'from' in name).length;
  const run = () => removeOldValues(worker.db, beforeThisYear, { window: 2, windows: 2 });
  expect(await run()).toBe(4);
  expect(await left()).toBe(6);
  expect(await run()).toBe(4);
  expect(await run()).toBe(2);
  expect(await left()).toBe(0);
});

it('values in old history leave no permit behind', async () => {
  await addEntry(worker.env, { code: 'GONE:3', uuid: crypto.randomUUID() });
  expect(await removeAll(beforeThisYear)).toBeGreaterThan(0);
  expect(await worker.db.select().from(historyPermits)).toEqual([]);
});

const permitted = (id: number, statement: string) =>
  worker.env.DB.batch([
    worker.env.DB.prepare("insert into history_permits values (1, 'remove_values', ?1, ?1)").bind(
      id,
    ),
    worker.env.DB.prepare(statement.replace('$id', String(id))),
    worker.env.DB.prepare('delete from history_permits'),
  ]);
const contact = () => ({ code: 'GONE:4', uuid: crypto.randomUUID() });
const changes = (json: unknown, id = '$id') =>
  `update history set changes = '${JSON.stringify(json)}' where id = ${id}`;

test('a permit to remove values lets values be replaced by the fact that they were removed', async () => {
  const { id } = await addEntry(worker.env, contact(), { changes: { name: value, fax: value } });
  await permitted(id, changes({ name: removed, fax: value }));
  await permitted(id, changes({ name: removed, fax: removed }));
  await permitted(id, changes({ fax: removed, name: removed }));
});

test.each([
  ['another value', changes({ name: { from: 'a', to: 'c' } })],
  ['no field', changes({})],
  ['one more field', changes({ name: value, fax: removed })],
  ['another field', changes({ fax: removed })],
  ['other words', changes({ name: { removed: 1 } })],
  ['what is not an object', changes([])],
  ['another actor', "update history set actor = 'x' where id = $id"],
  ['another instant', "update history set occurred_at = '2020-01-02' where id = $id"],
  ['another id', 'update history set id = id + 1000000 where id = $id'],
  ['another rowid', 'update history set rowid = rowid + 1000000 where id = $id'],
  ['no entry', 'delete from history where id = $id'],
])('a permit to remove values does not let %s stand in its place', async (_, statement) => {
  const { id } = await addEntry(worker.env, contact(), { changes: { name: value } });
  await expect(permitted(id, statement)).rejects.toThrow('history is append-only');
});

test.each([
  ['a secret', { changes: { name: { redacted: true } as FieldChange } }],
  ['a registrar', { subject: 'registrar' as const, changes: { name: value } }],
])('a permit to remove values does not cover %s', async (_, overrides) => {
  const { id } = await addEntry(worker.env, contact(), overrides);
  const refusal = expect(permitted(id, changes({ name: removed }))).rejects;
  await refusal.toThrow('history is append-only');
});

test('a permit to remove values covers no entry beside those that it names', async () => {
  const { id } = await addEntry(worker.env, contact());
  const { id: other } = await addEntry(worker.env, contact());
  const statement = changes({ name: removed }, String(other));
  await expect(permitted(id, statement)).rejects.toThrow('history is append-only');
});

/**
 * The events in the lives of two contacts: the first creates the contact, and so does the first after a deletion. With
 * another code it stays the same contact.
 */
const event = fc.record({
  what: fc.constantFrom('update', 'update', 'delete', 'another code', 'remove values'),
  contact: fc.constantFrom('A', 'B'),
  months: fc.nat({ max: 5 }),
  field: fc.constantFrom('name', 'email', 'statuses', 'authInfo'),
});
const keptMonths = 6;
type Contact = { code: string; uuid: string };

test('never go from the newest entry of a contact that exists, and always from other old ones, in any life', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 5, maxLength: 15 }), async (events) => {
      await worker.db.delete(sweeps);
      const run = unique();
      const living = new Map<string, Contact>();
      const written: (typeof history.$inferSelect)[] = [];
      const now = new Date('2020-01-15T00:00:00.000Z');
      const removeAndCheck = async () => {
        const limit = monthsBefore(now, keptMonths).toISOString();
        await removeAll(limit);
        await check(written, limit, living);
      };
      for (const { what, contact: name, months, field } of events) {
        now.setUTCMonth(now.getUTCMonth() + months);
        if (what === 'remove values') {
          await removeAndCheck();
          continue;
        }
        const changes = { [field]: field === 'authInfo' ? ({ redacted: true } as const) : value };
        const record = async (contact: Contact, action: 'create' | 'update' | 'delete') => {
          written.push(
            await addEntry(worker.env, contact, { action, occurredAt: now.toISOString(), changes }),
          );
        };
        const create = async (ending: string, uuid: string = crypto.randomUUID()) => {
          const code = `${registrar.code}:${run}-${name}${ending}`;
          const contact = await addContact(worker.env, registrar, { code, uuid });
          living.set(name, contact);
          await record(contact, 'create');
        };
        const known = living.get(name);
        if (!known) await create('');
        else if (what === 'update') await record(known, 'update');
        else {
          living.delete(name);
          await worker.db.delete(contacts).where(eq(contacts.uuid, known.uuid));
          await record(known, 'delete');
          if (what === 'another code')
            await create(known.code.endsWith('2') ? '' : '2', known.uuid);
        }
      }
      await removeAndCheck();
    }),
    { numRuns: inject('isDeep') ? 50 : 5 },
  );
}, 120_000);

/** Compares what is in the database with what is to be there, and remembers what was removed. */
async function check(
  written: readonly (typeof history.$inferSelect)[],
  limit: string,
  living: Map<string, { uuid: string }>,
): Promise<void> {
  const exists = new Set([...living.values()].map(({ uuid }) => uuid));
  const rows = await worker.db
    .select()
    .from(history)
    .where(gte(history.id, written[0]?.id ?? 0));
  for (const entry of written) {
    const { changes, ...rest } = entry;
    const isNewest = !written.some(
      ({ id, subjectUuid }) => id > entry.id && subjectUuid === entry.subjectUuid,
    );
    const isGone = rest.occurredAt < limit && !(isNewest && exists.has(entry.subjectUuid!));
    if (isGone) Object.assign(entry, { changes: withoutPersonal(changes) });
    expect(rows.find(({ id }) => id === entry.id)).toEqual(entry);
  }
}

function withoutPersonal(changes: Record<string, FieldChange>) {
  return Object.fromEntries(
    Object.entries(changes).map(([field, change]) => [
      field,
      ['name', 'email'].includes(field) ? removed : change,
    ]),
  );
}
