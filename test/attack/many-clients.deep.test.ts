import { asc, eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { auctions, contacts, history } from '../../drizzle/schema.ts';
import { openDatabase } from '../../src/base/database/open.ts';
import { type Runtime, service, startRuntime } from '../bench/runtime.ts';
import { addAuction, addContact, addPerson, addRegistrar, send } from '../support/fixtures.ts';
import { brokenInvariants } from './invariants.ts';

const clients = 50;
const requestsOfEach = 12;
const loopback = { 'CF-Connecting-IP': '127.0.0.1' };

let runtime: Runtime;

beforeAll(async () => {
  runtime = await startRuntime([], [service], { bundle: inject('bundle') });
});

afterAll(() => runtime.stop());

/** Two registrars with five contacts each, the persons whose they are, and ten auctions. */
async function plantRows() {
  const { env } = runtime;
  const persons = await Promise.all(Array.from({ length: 10 }, () => addPerson(env)));
  const planted: Row[] = [];
  for (const registrar of [await addRegistrar(env), await addRegistrar(env)]) {
    for (const person of persons.slice(planted.length, planted.length + 5)) {
      const identity = { ident: person.code, identCountryCode: person.countryCode };
      planted.push({ registrar, person, contact: await addContact(env, registrar, identity) });
    }
  }
  const inAuction = await Promise.all(Array.from({ length: 10 }, () => addAuction(env)));
  return { rows: planted, inAuction };
}

interface Row {
  registrar: Awaited<ReturnType<typeof addRegistrar>>;
  person: Awaited<ReturnType<typeof addPerson>>;
  contact: Awaited<ReturnType<typeof addContact>>;
}

async function ask(path: string, init: RequestInit) {
  const response = await fetch(runtime.url(service, path), init);
  return {
    status: response.status,
    etag: response.headers.get('ETag'),
    text: await response.text(),
  };
}

const paths = ({ registrar, person, contact }: Row) => ({
  registrar: { path: `/repp/v1/contacts/${contact.code}`, login: registrar, method: 'PUT' },
  registrant: {
    path: `/api/v1/registrant/contacts/${contact.uuid}`,
    login: person,
    method: 'PATCH',
  },
});

const reports = ['awaiting_payment', 'payment_received', 'payment_not_received', 'no_bids'];

it('explains the rows exactly by their history after 50 clients changed 10 contacts and 10 auctions at once', async () => {
  const { rows, inAuction } = await plantRows();

  /** Every client goes its own way through rows and values, the same in each run. */
  const run = async (client: number) => {
    const statuses: number[] = [];
    for (let count = 0; count < requestsOfEach; count++) {
      const turn = client * 7 + count * 3;
      const row = rows[turn % rows.length] as Row;
      const key: Record<string, string> =
        count % 4 === 0 ? { 'Idempotency-Key': `${client % 5}-${count}` } : {};
      const headers = { ...loopback, ...key };
      if (client % 3 === 0) {
        const uuid = inAuction[turn % inAuction.length]?.uuid;
        const body = { status: reports[turn % reports.length] };
        const path = `/api/v1/auctions/${uuid}`;
        statuses.push(
          (await ask(path, send('PATCH', { authorization: '' }, body, headers))).status,
        );
      } else {
        const { path, login, method } = paths(row)[client % 3 === 1 ? 'registrar' : 'registrant'];
        const fields = { name: `Client ${client}`, phone: `+372.${turn + 1}` };
        const body =
          method === 'PUT' ? { contact: { ...fields, addr: { city: `${count}` } } } : fields;
        statuses.push((await ask(path, send(method, login, body, headers))).status);
      }
    }
    return statuses;
  };
  const statuses = (
    await Promise.all(Array.from({ length: clients }, (_, client) => run(client)))
  ).flat();

  expect(statuses).toHaveLength(clients * requestsOfEach);
  // 422: two clients use one key with two requests, and one of them was faster.
  expect(statuses.filter((status) => status !== 200 && status !== 422)).toEqual([]);
  const planted = { contacts: rows.map(({ contact }) => contact), auctions: inAuction };
  expect(await brokenInvariants(runtime.env, planted)).toEqual([]);
  const db = openDatabase(runtime.env.DB);
  for (const { contact } of rows) {
    const [row] = await db.select().from(contacts).where(eq(contacts.id, contact.id));
    const told = await db
      .select()
      .from(history)
      .where(eq(history.subjectUuid, contact.uuid))
      .orderBy(asc(history.id));
    expect(row?.updater).toBe(told.at(-1)?.actor);
  }
  const paid = await db.select().from(auctions).where(eq(auctions.status, 'payment_received'));
  expect(paid.every(({ registrationCode }) => registrationCode !== null)).toBe(true);
}, 120_000);
