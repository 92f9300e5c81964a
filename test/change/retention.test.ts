import { asc, eq } from 'drizzle-orm';
import { expect, it, test, vi } from 'vitest';
import { contacts, history } from '../../drizzle/schema.ts';
import { monthsBefore } from '../../src/base/time/day.ts';
import { runCron } from '../../src/worker/cron.ts';
import { addContact, addEntry, addRegistrar } from '../support/fixtures.ts';
import { shareEmptyWorker } from '../support/worker.ts';

const worker = shareEmptyWorker();
const hourly = '31 * * * *';

const now = new Date();
const monthsAgo = (months: number) => monthsBefore(now, months).toISOString();

/** A contact without a domain, with an old and a new entry of history. */
async function addOldContact(months: number) {
  const registrar = await addRegistrar(worker.env);
  const contact = await addContact(worker.env, registrar, { createdAt: monthsAgo(months) });
  for (const occurredAt of [monthsAgo(months), monthsAgo(1)]) {
    await addEntry(worker.env, contact, { occurredAt });
  }
  return contact;
}

async function stateOf({ uuid }: { uuid: string }) {
  const entries = await worker.db
    .select()
    .from(history)
    .where(eq(history.subjectUuid, uuid))
    .orderBy(asc(history.id));
  const rows = await worker.db.select().from(contacts).where(eq(contacts.uuid, uuid));
  return { exists: rows.length > 0, names: entries.map(({ changes }) => changes.name) };
}

const value = { from: 'Mari', to: 'Mari Maasikas' };

it('keeps values and contacts for ever out of the box', async () => {
  const contact = await addOldContact(600);
  await worker.scheduled(hourly);
  expect(await stateOf(contact)).toEqual({ exists: true, names: [value, value] });
});

it('the scheduled run removes values and orphan contacts that are older than a deployment keeps them', async () => {
  const young = await addOldContact(11);
  const middle = await addOldContact(23);
  const old = await addOldContact(25);
  const settings = { HISTORY_VALUES_MONTHS: '12', ORPHAN_CONTACT_MONTHS: '24' };
  await runCron(hourly, { ...worker.env, ...settings }, {});
  const removed = { removed: true };
  expect(await stateOf(young)).toEqual({ exists: true, names: [value, value] });
  expect(await stateOf(middle)).toEqual({ exists: true, names: [removed, value] });
  const deletion = { from: old.name, to: null };
  expect(await stateOf(old)).toEqual({
    exists: false,
    names: [removed, value, deletion],
  });
});

it('a setting that is malformed removes nothing, and the log names it', async () => {
  const contact = await addOldContact(600);
  using logged = vi.spyOn(console, 'error').mockImplementation(() => {});
  const settings = { HISTORY_VALUES_MONTHS: 'a year', ORPHAN_CONTACT_MONTHS: '12' };
  await expect(runCron(hourly, { ...worker.env, ...settings }, {})).rejects.toThrow();
  expect(await stateOf(contact)).toEqual({ exists: true, names: [value, value] });
  const logs = JSON.stringify(logged.mock.calls);
  expect(logs).toContain('HISTORY_VALUES_MONTHS: must be a number of months');
});

test.each([
  ['2026-05-31T10:00:00.000Z', 3, '2026-02-28T10:00:00.000Z'],
  ['2024-02-29T10:00:00.000Z', 12, '2023-02-28T10:00:00.000Z'],
  ['2026-01-15T23:59:59.999Z', 25, '2023-12-15T23:59:59.999Z'],
])('%s is %i months after %s', (instant, months, earlier) => {
  expect(monthsBefore(new Date(instant), months).toISOString()).toBe(earlier);
});
