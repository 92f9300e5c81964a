import { beforeAll, describe, expect, it, test } from 'vitest';
import { everyRow } from '../src/base/database/every-row.ts';
import { type Database, openDatabase } from '../src/base/database/open.ts';
import type { RowsAfter } from '../src/base/database/paging.ts';
import { listHistory, listRegistrarsEntries } from '../src/change/history/operator/search.ts';
import type { HistoryEntry } from '../src/change/history/search.ts';
import { type ContactWithRegistrar, getContactByCode } from '../src/contact/contact.ts';
import { listContactsBy } from '../src/contact/operator/administer.ts';
import { listDisclosuresOf } from '../src/contact/operator/disclosure/read.ts';
import { findContacts, findNearPersons } from '../src/contact/operator/find.ts';
import {
  findAskedFor,
  findGoneContacts,
  listContactsOfSamePerson,
  listRequestsFor,
} from '../src/contact/operator/person.ts';
import { callbackOf } from '../src/dev/sandbox/identity-service.ts';
import { sendDeliveries } from '../src/party/webhook/deliver.ts';
import { app } from '../src/worker/http/app.ts';
import { examples } from '../src/worker/http/openapi/example.ts';
import { findValues } from './attack/requests.ts';
import { type Cost, cost as costOfRequest, counted } from './support/counted.ts';
import { countedRows, countsRows } from './support/counted-rows.ts';
import {
  addAuction,
  addContact,
  addDisclosure,
  addDispute,
  addDomainOf,
  addNotification,
  addOwnContact,
  addRegistrar,
  addRetainedDomain,
  addSystem,
  basic,
  bearer,
  newContact,
  send,
} from './support/fixtures.ts';
import { startIdentityService } from './support/identity-service.ts';
import { seedRegistrar } from './support/seed.ts';
import { startWorker } from './support/worker.ts';
import { operations } from './worker/http/openapi/operations.ts';

/**
 * The cost of each call, in the units that the platform bills. A figure that went up is a regression, and one that went
 * down is worth writing down here.
 */
const identityService = await startIdentityService();
const worker = startWorker(identityService.settings);
let bindings: ReturnType<typeof counted>;
beforeAll(() => {
  bindings = counted(worker.env);
});

/** The calls of the document, as `GET /path/{parameter}`. */
const described = new Map(operations.map((each) => [`${each.method} ${each.path}`, each]));

/** The routes of the application, named likewise. */
const routed = app.routes
  .filter(({ method, path }) => method !== 'ALL' && !path.includes('*'))
  .map(({ method, path }) => `${method} ${path.replace(/:(\w+)(\{.*?\})?/g, '{$1}')}`);

/** The requests that were measured, as `GET /path`. */
const measured: string[] = [];

const cost: typeof costOfRequest = (env, path, init) => {
  measured.push(`${init?.method ?? 'GET'} ${path.replace(/\/?(\?.*)?$/, '') || '/'}`);
  return costOfRequest(env, path, init);
};

const costOf = (path: string, init?: RequestInit) => cost(bindings, path, init);

const reads = (d1RoundTrips: number, rowsRead: number) => ({
  d1RoundTrips,
  ...countedRows({ rowsRead }),
});
const writes = (d1RoundTrips: number, rowsRead: number, rowsWritten: number) => ({
  d1RoundTrips,
  ...countedRows({ rowsRead, rowsWritten }),
});
/** The cost of a call that leaves nothing to do after its answer. */
const answered = (answer: object = {}) => ({ status: 200, answer, after: {} });

const addWebhooks = (...registrars: { id: number }[]) =>
  worker.env.DB.batch(
    registrars.map(({ id }) =>
      worker.env.DB.prepare(
        `insert into webhooks (registrar_id, url, secret, created_at)
         values (?, 'https://example.ee/', 'whsec_AAAA', '2026-01-01T00:00:00.000Z')`,
      ).bind(id),
    ),
  );

const list = '/repp/v1/contacts';
const ofPerson = '/api/v1/registrant/contacts';

describe('a page of 200 contacts', () => {
  let registrars: { authorization: string }[];
  beforeAll(async () => {
    registrars = [await seedRegistrar(worker.env, 1_000), await seedRegistrar(worker.env, 5_000)];
  });

  it('a page of 200 contacts reads as many rows however many contacts there are', async () => {
    for (const registrar of registrars) {
      const codes = await costOf(list, send('GET', registrar));
      expect(codes).toEqual(answered(reads(1, 203)));
      const details = await costOf(`${list}?details=true`, send('GET', registrar));
      expect(details.answer).toEqual(reads(1, 203));
    }
  });

  it('a page of 200 contacts reads no more after a link than from the beginning', async () => {
    for (const registrar of registrars) {
      for (const query of ['?offset=600', '?offset=600&details=true']) {
        const page = await worker.fetch(list + query, send('GET', registrar));
        const [, link] = /^<(.+)>/.exec(page.headers.get('Link') as string) as string[];
        const { pathname, search } = new URL(link as string);
        expect(await costOf(pathname + search, send('GET', registrar))).toEqual(
          answered(reads(1, 203)),
        );
      }
    }
  });

  it('a page of 200 contacts with an open demand reads no more after a link than from the beginning', async () => {
    const [, registrar] = registrars;
    const demandAll = (demand: string | null) =>
      worker.env.DB.prepare('update contacts set verification_demand = ?1').bind(demand).run();
    await demandAll('{"claims":["email"],"by":"2027-01-31"}');
    let path = `${list}?demand=open&details=true`;
    for (const rows of [206, 204, 204]) {
      const page = await worker.fetch(path, send('GET', registrar!));
      expect(await costOf(path, send('GET', registrar!))).toEqual(answered(reads(1, rows)));
      const [, link] = /^<(.+)>/.exec(page.headers.get('Link') as string) as string[];
      const { pathname, search } = new URL(link as string);
      path = pathname + search;
    }
    await demandAll(null);
  });

  it('a page of 200 contacts reads in a search what the first filter’s index leads to, and a short page twice', async () => {
    const [, registrar] = registrars;
    const costs = {
      'demand=open&details=true': 10,
      'ident=00000007': 10,
      'email=mari7@EXAMPLE.ee&details=true': 8,
      'email=mari7@example.ee&name=jaan': 9,
      'name=mari%20maasikas%2077&status=ok': 38,
      'status=pendingDelete': 6,
      // A full page and the contact after it, whatever else matches.
      'ident_country_code=EE': 204,
      'updated_since=2026-01-01': 204,
      'name=mari': 204,
      'name=mari&details=true': 204,
      'ident_country_code=EE&name=mari': 204,
      'status=ok': 204,
      // No match among all that the index leads to.
      'updated_since=2026-01-01&ident_country_code=LV': 10_004,
      'name=mari&ident_country_code=LV&details=true': 10_004,
      'status=linked&ident_country_code=EE&name=mari&email=mari7@example.ee&ident=00000007&updated_since=2026-01-01': 10,
    };
    const measured: Record<string, number | undefined> = {};
    for (const query of Object.keys(costs)) {
      const { status, answer } = await costOf(`${list}?${query}`, send('GET', registrar!));
      expect({ query, status, trips: answer.d1RoundTrips }).toEqual({
        query,
        status: 200,
        trips: 1,
      });
      measured[query] = answer.rowsRead;
    }
    if (countsRows) expect(measured).toEqual(costs);
  });

  it('a page of 200 contacts walks through one block of contacts at most to get to an offset', async () => {
    const [, registrar] = registrars;
    const page = await costOf(`${list}?offset=4000`, send('GET', registrar!));
    expect(page.answer).toEqual(reads(1, 1_151));
  });
});

it('one contact is read, with the login, in one round trip', async () => {
  const registrar = await addRegistrar(worker.env);
  const { code } = await addContact(worker.env, registrar);
  const costs = {
    [`${list}/${code}`]: reads(1, 4),
    [`${list}/check/free`]: reads(1, 8),
    [`${list}/${code}/history`]: reads(1, 8),
  };
  for (const [path, answer] of Object.entries(costs)) {
    expect(await costOf(path, send('GET', registrar))).toEqual(answered(answer));
  }
});

it('one contact leaves a history that is read in one round trip', async () => {
  const registrar = await addRegistrar(worker.env);
  const { code } = await addContact(worker.env, registrar);
  await costOf(`${list}/${code}`, send('DELETE', registrar));
  expect((await costOf(`${list}/${code}/history`, send('GET', registrar))).answer).toEqual(
    reads(1, 18),
  );
});

it('a contact costs as much to read about when it has changed a thousand times: its person, a page; an export, its entries', async () => {
  const person = { ident: '37605030300' };
  const registrar = await addRegistrar(worker.env);
  const { code, uuid } = await addContact(worker.env, registrar, person);
  const changes = JSON.stringify({ phone: { from: '+1.1', to: '+1.2' } });
  await worker.env.DB.prepare(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000)
    insert into history (occurred_at, subject, subject_key, subject_uuid, registrar, action, actor_type, actor, changes)
    select '2026-01-01T00:00:00.000Z', 'contact', ?, ?, ?, 'update', 'api_user', '', ? from n`,
  )
    .bind(code, uuid, registrar.code, changes)
    .run();
  const caller = { authorization: await bearer(worker, person.ident) };
  const read = async (path: string, by: { authorization: string }) =>
    (await costOf(path, send('GET', by))).answer;
  expect(await read(`${list}/${code}/history?limit=1`, registrar)).toEqual(reads(1, 11));
  // Every entry before an offset is read, so there is a bound on it.
  expect(await read(`${list}/${code}/history?limit=1&offset=900`, registrar)).toEqual(
    reads(1, 911),
  );
  expect(await read(`${ofPerson}/${uuid}/history?limit=1`, caller)).toEqual(reads(1, 5));
  expect(await read('/api/v1/registrant/export', caller)).toEqual(reads(9, 1_036));
});

it('an export reads rows in proportion to the domains of a contact', async () => {
  const rowsOfEach: number[] = [];
  for (const [index, count] of [200, 800, 3_200].entries()) {
    const person = { ident: `3760503031${index}` };
    const { contact } = await addOwnContact(worker.env, person);
    const name = `'of${contact.id}-' || value || '.ee'`;
    await worker.env.DB.batch([
      worker.env.DB.prepare(
        `insert into domains (name, punycode, registrar_id, created_at)
         select ${name}, ${name}, ?, '2026-01-01T00:00:00.000Z' from (
           with recursive numbers (value) as (select 1 union all select value + 1 from numbers where value < ?)
           select value from numbers)`,
      ).bind(contact.registrarId, count),
      worker.env.DB.prepare(
        `insert into domain_contacts (domain_id, contact_id, role)
         select id, ?, 'registrant' from domains where name like 'of${contact.id}-%'`,
      ).bind(contact.id),
    ]);
    const caller = { authorization: await bearer(worker, person.ident) };
    const { answer } = await costOf('/api/v1/registrant/export', send('GET', caller));
    rowsOfEach.push((answer.rowsRead ?? 0) / count);
  }
  // The link and the domain.
  for (const rows of rowsOfEach) expect(rows).toBeLessThan(3);
});

it('an export reads rows in proportion to the contacts of a person, and to those that were deleted', async () => {
  const rowsOfEach: number[] = [];
  for (const [index, count] of [100, 400, 1_600].entries()) {
    const ident = `3760503032${index}`;
    const { id, code } = await seedRegistrar(worker.env, count);
    const identity = `json_object('ident', json_object('from', ?1, 'to', null, 'key', ?1),
      'identType', json_object('from', 'priv'), 'identCountryCode', json_object('from', 'EE'))`;
    const entries = (action: string, uuid: string, changes: string) =>
      worker.env.DB.prepare(
        `insert into history (occurred_at, subject, subject_key, subject_uuid, registrar, action, actor_type, actor, changes)
         select created_at, 'contact', code, ${uuid}, ?3, '${action}', 'operator', 'Operator', ${changes}
         from contacts where registrar_id = ?2 and ident = ?1`,
      ).bind(ident, id, code);
    await worker.env.DB.batch([
      worker.env.DB.prepare(
        `update contacts set ident = ?1, ident_key = ?1, ident_type = 'priv' where registrar_id = ?2`,
      ).bind(ident, id),
      entries('create', 'uuid', "'{}'"),
      entries('delete', "'former-' || uuid", identity),
    ]);
    const caller = { authorization: await bearer(worker, ident) };
    const { answer } = await costOf('/api/v1/registrant/export', send('GET', caller));
    rowsOfEach.push((answer.rowsRead ?? 0) / count);
  }
  for (const rows of rowsOfEach) expect(rows).toBeLessThan(32);
});

it('one contact is validated in one round trip, and so are a hundred', async () => {
  const registrar = await addRegistrar(worker.env);
  await addContact(worker.env, registrar, { code: `${registrar.code}:ID-7` });
  const rowsRead: Record<number, number> = { 1: 8, 100: 405 };
  for (const [count, rows] of Object.entries(rowsRead)) {
    const contacts = Array.from({ length: Number(count) }, (_, n) => newContact({ id: `id-${n}` }));
    const validate = costOf(`${list}/validate`, send('POST', registrar, { contacts }));
    expect(await validate).toEqual(answered(reads(1, rows)));
  }
});

it('one id is checked in one round trip, and so are a hundred', async () => {
  const registrar = await addRegistrar(worker.env);
  await addContact(worker.env, registrar, { code: `${registrar.code}:ID-7` });
  const rowsRead: Record<number, number> = { 1: 8, 100: 405 };
  for (const [count, rows] of Object.entries(rowsRead)) {
    const contacts = Array.from({ length: Number(count) }, (_, n) => `id-${n}`);
    const check = costOf(`${list}/check`, send('POST', registrar, { contacts }));
    expect(await check).toEqual(answered(reads(1, rows)));
  }
});

it('one contact is created in two round trips', async () => {
  const registrar = await addRegistrar(worker.env);
  await addContact(worker.env, registrar);
  const create = (fields: object) =>
    costOf(list, send('POST', registrar, { contact: newContact(fields) }));
  // The contact and its eleven indexes, its two words, its id's sequence, two counters, the history and its three indexes.
  expect((await create({})).answer).toEqual(writes(2, 26, 21));
  // An organisation is not in the index of persons.
  const ident = { ident: '12345678', ident_type: 'org', ident_country_code: 'EE' };
  expect((await create({ ident })).answer).toEqual(writes(2, 26, 20));
});

it('a verification is recorded and withdrawn in two round trips each', async () => {
  const registrar = await addRegistrar(worker.env);
  const { code } = await addContact(worker.env, registrar);
  const path = `${list}/${code}/verifications`;
  const record = (claim: string) =>
    costOf(path, send('POST', registrar, { verification: { claim, method: 'eid' } }));
  // The contact, its place by change, the history and its two indexes.
  const written = writes(2, 14, 5);
  expect((await record('email')).answer).toEqual(written);
  expect((await record('identity')).answer).toEqual(written);
  const { emailVerification } = await getContactByCode(worker.db, code);
  const withdraw = send('DELETE', registrar);
  const withdrawal = await costOf(`${path}/${emailVerification!.id}`, withdraw);
  expect(withdrawal.answer).toEqual(written);
});

it('one contact is updated in two round trips, and in one where nothing changes', async () => {
  const registrar = await addRegistrar(worker.env);
  const { code } = await addContact(worker.env, registrar);
  const update = (contact: object = { name: 'Jüri Tamm' }) =>
    costOf(`${list}/${code}`, send('PUT', registrar, { contact }));
  // The contact, its places by change and by name, its two words before and after, the history and its two indexes.
  expect((await update()).answer).toEqual(writes(2, 42, 10));
  const fax = { fax: '+372.6123456' };
  expect((await update(fax)).answer).toEqual(writes(2, 14, 5));
  expect((await update()).answer).toEqual(reads(1, 5));
});

it('one contact is deleted in two round trips', async () => {
  const registrar = await addRegistrar(worker.env);
  const { code } = await addContact(worker.env, registrar);
  // The contact, two counters, the former contact and its index, the history and its four indexes; the deletion of index
  // entries is not counted.
  expect((await costOf(`${list}/${code}`, send('DELETE', registrar))).answer).toEqual(
    writes(2, 16, 11),
  );
});

it('one contact is refused in one round trip, without reading more than the login and what stands in the way', async () => {
  const registrar = await addRegistrar(worker.env);
  const linked = await addContact(worker.env, registrar);
  await addDomainOf(worker.env, linked);
  expect(await costOf(`${list}/${linked.code}`, send('DELETE', registrar))).toEqual({
    status: 400,
    answer: reads(1, 9),
    after: {},
  });
  expect(await costOf(`${list}?limit=0`, send('GET', registrar))).toEqual({
    status: 400,
    answer: reads(1, 2),
    after: {},
  });
  expect(await costOf(list, send('GET', { authorization: 'Basic YW55OmFueQ==' }))).toEqual({
    status: 401,
    // Whether any user has a password to verify.
    answer: reads(1, 1),
    // Why it is refused, for the log.
    after: { d1RoundTrips: 1 },
  });
});

test('an idempotency key adds a kept answer to the write, and a repetition is one round trip', async () => {
  const registrar = await addRegistrar(worker.env);
  await addContact(worker.env, registrar);
  const headers = { 'Idempotency-Key': 'counted' };
  const create = () => costOf(list, send('POST', registrar, { contact: newContact() }, headers));
  // The key and its two indexes.
  expect((await create()).answer).toEqual(writes(2, 27, 24));
  expect((await create()).answer).toEqual(reads(1, 4));
});

test('a person’s contacts are read in one round trip and updated in two', async () => {
  const person = { ident: '37605030299' };
  const registrar = await addRegistrar(worker.env);
  // Of this country and type there are others, with and without separators in their codes.
  for (let n = 0; n < 50; n++) {
    await addContact(worker.env, registrar, { ident: n % 2 ? `1310-${n}` : `P${n}` });
  }
  const { uuid } = await addContact(worker.env, registrar, person);
  for (let n = 0; n < 50; n++) {
    const identKey = n === 25 ? person.ident : `P${n}`;
    await addDisclosure(worker.env, { identKey, identType: 'priv', identCountryCode: 'EE' });
  }
  const caller = { authorization: await bearer(worker, person.ident) };
  const costs = {
    [ofPerson]: reads(1, 2),
    [`${ofPerson}/${uuid}`]: reads(1, 1),
    [`${ofPerson}/${uuid}/history`]: reads(1, 5),
    '/api/v1/registrant/disclosures': reads(1, 2),
    '/api/v1/registrant/export': reads(4, 14),
  };
  for (const [path, answer] of Object.entries(costs)) {
    expect(await costOf(path, send('GET', caller))).toEqual(answered(answer));
  }
  const update = await costOf(`${ofPerson}/${uuid}`, send('PATCH', caller, { name: 'Jüri Tamm' }));
  // The contact, its places by change and by name, and its words before and after; the history and its index; the
  // notification, its index and its id's sequence. The registrar has no webhook, so the look into the outbox finds nothing.
  expect(update.answer).toEqual(writes(2, 45, 12));
  expect(update.after).toEqual(reads(1, 2));
});

test('a notification is read in one round trip, the oldest with each unread one to count them, and marked in two', async () => {
  const registrar = await addRegistrar(worker.env);
  const [first] = await Promise.all(
    Array.from({ length: 50 }, () => addNotification(worker.env, registrar)),
  );
  const path = '/repp/v1/registrar/notifications';
  const costs = {
    [path]: reads(1, 55),
    [`${path}/${first!.id}`]: reads(1, 55),
    [`${path}/all_notifications?limit=10`]: reads(1, 13),
  };
  for (const [url, answer] of Object.entries(costs)) {
    expect(await costOf(url, send('GET', registrar))).toEqual(answered(answer));
  }
  const mark = () =>
    costOf(`${path}/${first!.id}`, send('PUT', registrar, { notification: { read: true } }));
  // The notification and its place among those that were read.
  expect((await mark()).answer).toEqual(writes(2, 56, 2));
  expect((await mark()).answer).toEqual(reads(1, 54));
});

test('notifications are delivered with rows in proportion to them, in however many messages', async () => {
  const { env } = worker;
  const sender = { fetch: async () => new Response(), now: () => new Date(), isLocal: true };
  for (const count of [60, 240, 960]) {
    const registrar = await addRegistrar(env);
    await addWebhooks(registrar);
    await env.DB.batch([
      env.DB.prepare(
        `insert into notifications (registrar_id, event, text, subject_key, fields, created_at)
         with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ?)
         select ?, 'contact.updated', '', '', '[]', '2026-01-01T00:00:00.000Z' from numbers`,
      ).bind(count, registrar.id),
      env.DB.prepare(
        `insert into webhook_deliveries (id, registrar_id, notification_id, created_at, waits_since)
         select 'msg_' || id, registrar_id, id, created_at, created_at from notifications where registrar_id = ?`,
      ).bind(registrar.id),
    ]);
    const counting = counted(env);
    const db = openDatabase(counting.env.DB);
    while (await sendDeliveries(db, registrar.id, sender));
    expect(counting.counts.rowsRead / count).toBeLessThan(5);
    expect(counting.counts.d1RoundTrips / count).toBeLessThan(1.2);
  }
});

test('who calls is read in one round trip, and a secret replaced in two', async () => {
  const registrar = await addRegistrar(worker.env);
  const account = (caller: { authorization: string }) =>
    costOf('/repp/v1/registrar', send('GET', caller));
  const read = answered(reads(1, 6));
  expect(await account(registrar)).toEqual(read);
  const path = '/repp/v1/registrar/api_user/secret';
  const replace = await costOf(path, send('POST', registrar));
  // The user and two indexes, the history and its index, the notification, its index and its id's sequence.
  expect(replace.answer).toEqual(writes(2, 18, 8));
  expect(replace.after).toEqual(reads(1, 2));
  const answer = await worker.fetch(path, send('POST', registrar));
  const { data } = (await answer.json()) as { data: { api_user: { secret: string } } };
  const caller = { authorization: basic(registrar.apiUser.username, data.api_user.secret) };
  // The first use is recorded after the answer, once: the user and an index, the history and its index.
  const first = await account(caller);
  expect(first.answer).toEqual(read.answer);
  expect(first.after).toEqual(writes(1, 6, 4));
  expect(await account(caller)).toEqual(read);
  expect(await account(registrar)).toEqual(read);
});

test('a webhook is set, given a new secret and ended in two round trips, and tested in two', async () => {
  const registrar = await addRegistrar(worker.env);
  const path = '/repp/v1/registrar/webhook';
  const cost = async (method: string, suffix = '', body?: unknown) =>
    (await costOf(path + suffix, send(method, registrar, body))).answer;
  const webhook = { url: 'http://localhost:9/' };
  // The registrar and its code, the history and its index, the webhook.
  expect(await cost('PUT', '', { webhook })).toEqual(writes(2, 17, 4));
  expect(await cost('PUT', '', { webhook })).toEqual(reads(1, 6));
  expect(await cost('POST', '/secret')).toEqual(writes(2, 16, 4));
  expect(await cost('GET')).toEqual(reads(1, 4));
  expect(await cost('DELETE')).toEqual(writes(2, 16, 4));
  expect(await cost('DELETE')).toEqual(reads(1, 6));
  await cost('PUT', '', { webhook });
  // The delivery and its indexes, and the webhook.
  expect(await cost('POST', '/test')).toEqual(writes(2, 9, 7));
});

test('deliveries are listed in one round trip, and a test added in two, however many there are', async () => {
  const path = '/repp/v1/registrar/webhook/deliveries?limit=10';
  const tests: unknown[] = [];
  for (const count of [100, 1_000, 10_000]) {
    const registrar = await addRegistrar(worker.env);
    await addWebhooks(registrar);
    const { id } = await addNotification(worker.env, registrar);
    await worker.env.DB.prepare(
      `insert into webhook_deliveries (id, registrar_id, notification_id, created_at, waits_since, delivered_at)
       with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ?1)
       select 'msg_' || ?2 || '_' || n, ?2, ?3, '2026-01-01T00:00:00.000Z', '', '2026' from numbers`,
    )
      .bind(count, registrar.id, id)
      .run();
    expect((await costOf(path, send('GET', registrar))).answer).toEqual(reads(1, 34));
    tests.push(await costOf('/repp/v1/registrar/webhook/test', send('POST', registrar)));
  }
  expect(tests).toEqual([tests[0], tests[0], tests[0]]);
});

test('an auction is read in one round trip and reported in two', async () => {
  const { uuid } = await addAuction(worker.env);
  const path = `/api/v1/auctions/${uuid}`;
  expect((await costOf(path)).answer).toEqual(reads(1, 1));
  const report = await costOf(path, {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ status: 'awaiting_payment' }),
  });
  // The list of auctions in progress is published when the answer is on its way.
  expect(report.answer).toEqual({ ...writes(2, 10, 5), kvLists: 1 });
  // A first publication of an empty list has no block: its changes and its head.
  expect(report.after).toMatchObject({ kvWrites: 2 });
});

test('an auction that starts the next one reads no other auctions, however many there were', async () => {
  const { uuid } = await addAuction(worker.env, { status: 'awaiting_payment' });
  // Newer ones, of other names.
  for (let n = 0; n < 50; n++) await addAuction(worker.env, { status: 'domain_registered' });
  const restarting = { ...worker.env, AUCTION_RESTART_STATUSES: 'payment_not_received' };
  const report = await cost(counted(restarting), `/api/v1/auctions/${uuid}`, {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ status: 'payment_not_received' }),
  });
  expect(report.answer).toMatchObject(reads(2, 30));
});

it('a public list is read from KV once, then from memory, and never from the database', async () => {
  await worker.scheduled('31 * * * *');
  const [first, second] = [
    await costOf('/repp/v1/retained_domains?type=blocked'),
    await costOf('/repp/v1/retained_domains?type=blocked'),
  ];
  expect(first).toEqual(answered({ kvReads: 1 }));
  expect(second).toEqual(answered());
});

it('the file for a spreadsheet is made from the list in KV, then from memory', async () => {
  await addRetainedDomain(worker.env, { name: 'file.ee' });
  await addAuction(worker.env, { name: 'file.ee' });
  await worker.scheduled('31 * * * *');
  for (const path of ['/repp/v1/auctions.csv', '/repp/v1/retained_domains.csv']) {
    const isolate = counted(worker.env);
    // The head and a block.
    expect(await cost(isolate, path)).toEqual(answered({ kvReads: 2 }));
    expect(await cost(isolate, path)).toEqual(answered());
  }
});

test('the feed reads no auctions that began before, and nothing for a minute', async () => {
  for (let n = 0; n < 50; n++) await addAuction(worker.env, { status: 'no_bids' });
  const createdAt = new Date().toISOString();
  for (let n = 0; n < 10; n++) await addAuction(worker.env, { status: 'no_bids', createdAt });
  const isolate = counted(worker.env);
  const { rowsRead = 0, ...others } = (await cost(isolate, '/auctions.atom')).answer;
  // The auctions and, at the same time, the registry's first change.
  expect(others).toEqual({ d1RoundTrips: 2 });
  // Other tests have started some as well.
  expect(rowsRead).toBeLessThanOrEqual(16);
  expect(await cost(isolate, '/auctions.atom')).toEqual(answered());
});

it('a public list says its changes, a name and many names from KV, then from memory', async () => {
  await addRetainedDomain(worker.env, { name: 'kv.ee' });
  await worker.scheduled('31 * * * *');
  const changes = async (path: string) => {
    const list = await worker.fetch(path, { method: 'HEAD' });
    return `${path}/changes?since=${encodeURIComponent(list.headers.get('ETag')!)}`;
  };
  const lookup = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ names: ['kv.ee', 'free.ee'] }),
  };
  const costs: [kvReads: number, path: string, init?: RequestInit][] = [
    [1, await changes('/repp/v1/auctions')],
    [1, await changes('/repp/v1/retained_domains')],
    [4, '/repp/v1/retained_domains/kv.ee'],
    [4, '/repp/v1/retained_domains/lookup', lookup],
  ];
  for (const [kvReads, path, init] of costs) {
    const isolate = counted(worker.env);
    expect(await cost(isolate, path, init)).toEqual(answered({ kvReads }));
    expect(await cost(isolate, path, init)).toEqual(answered());
  }
});

test('what a name was is read in one round trip, and only its own changes', async () => {
  const name = `changed${Date.now()}.ee`;
  const entry = `insert into history (occurred_at, subject, subject_key, action, actor_type, actor, changes)
    select '2026-01-01T00:00:00.000Z', value, ?, 'create', 'operator', 'Operator', '{}'
    from json_each('["retained_domain", "auction", "dispute", "domain"]')`;
  const others = Array.from({ length: 50 }, (_, n) => `another${n}.ee`);
  const prepared = worker.env.DB.prepare(entry);
  await worker.env.DB.batch([name, ...others, name].map((key) => prepared.bind(key)));
  await addRetainedDomain(worker.env, { name });
  await addAuction(worker.env, { name });
  await addAuction(worker.env, { name, status: 'no_bids' });
  await addDispute(worker.env, { name });
  const path = `/repp/v1/retained_domains/${name}/history`;
  for (const query of ['', '?limit=1']) {
    const { rowsRead = 0, ...others } = (await costOf(path + query)).answer;
    expect(others).toEqual({ d1RoundTrips: 1 });
    // Six entries, three rows of what it is, and perhaps the row after each of the six searches.
    expect(rowsRead).toBeLessThanOrEqual(15);
  }
});

test('a preflight costs nothing', async () => {
  for (const call of routed.filter((call) => call.startsWith('OPTIONS'))) {
    const [method, path] = call.split(' ');
    const { answer, after } = await costOf(path!.replace(/\{.*?\}/g, 'kv.ee'), { method });
    expect({ answer, after }).toEqual({ answer: {}, after: {} });
  }
});

test('the auctions in progress are read in one round trip, and a token is given without one', async () => {
  expect((await costOf('/api/v1/auctions')).answer).toMatchObject({ d1RoundTrips: 1 });
  const person = { ident: '38001085718', first_name: 'Jaan', last_name: 'Tamm' };
  expect(
    await costOf('/api/v1/registrant/auth/eid', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(person),
    }),
  ).toEqual(answered());
});

describe('the page', () => {
  const isolate = () => counted(worker.env);
  /** In an isolate that has read nothing yet. In this process, D1 may answer first what no answer waits for. */
  const first = async (query: string): Promise<Cost> => {
    const { status, answer, after } = await cost(isolate(), `/en/${query}`);
    if (countsRows) return { status, answer, after };
    const { d1RoundTrips = 0, ...waited } = answer;
    return {
      status,
      answer: waited,
      after: { d1RoundTrips: d1RoundTrips + (after.d1RoundTrips ?? 0) },
    };
  };

  beforeAll(async () => {
    await addAuction(worker.env, { name: 'page.ee' });
    await addRetainedDomain(worker.env, { name: 'page.ee' });
    await worker.scheduled('1 0 * * *');
  });

  /** Whether lists are late, or migrations lacking, which an isolate looks at once a minute; no answer waits for it. */
  const lookingAfterLists = reads(2, 11);

  it('the page is read from KV, then from memory, and waits for the database only about a name', async () => {
    // The head of each list, the figures of the year, and the blocks of the two lists that are shown.
    const answer = { kvReads: 8, kvLists: 1 };
    const view = { status: 200, answer, after: lookingAfterLists };
    expect(await first('')).toEqual(view);
    expect(await costOf('/')).toEqual({ status: 302, answer: {}, after: {} });
    expect(await first('?starts=p&auctions=page&sort=length')).toEqual(view);
    const env = isolate();
    await cost(env, '/en/');
    expect(await cost(env, '/et/?starts=p')).toEqual(answered());
  });

  it('the page reads only the history more for an answer about a name', async () => {
    const env = isolate();
    await cost(env, '/en/');
    for (const name of ['page.ee', 'free.ee&as_of=2026-01-31']) {
      const { rowsRead = 0, ...others } = (await cost(env, `/en/?name=${name}`)).answer;
      expect(others).toEqual({ d1RoundTrips: 1 });
      expect(rowsRead).toBeLessThanOrEqual(8);
    }
  });

  it('the page reads as much of 20,000 names as of one', async () => {
    await worker.env.DB.prepare(
      `with recursive n(i) as (select 0 union all select i + 1 from n where i < 19999)
       insert into retained_domains (name, punycode, status, created_at)
       select 'many' || i || '.ee', 'many' || i || '.ee', 'reserved', '2026-01-01T00:00:00.000Z' from n`,
    ).run();
    await worker.scheduled('31 * * * *');
    for (const query of ['', '?starts=many1', '?starts=m&after=many5.ee', '?after=many9998.ee']) {
      const { answer, after } = await first(query);
      expect(answer.d1RoundTrips).toBeUndefined();
      // A page that goes on in another block reads that as well.
      expect(answer.kvReads).toBeLessThanOrEqual(9);
      expect(after).toEqual(lookingAfterLists);
    }
  });
});

test('the health costs two round trips and one listing of keys, and then nothing for five seconds', async () => {
  await costOf('/repp/v1/auctions');
  await worker.scheduled('31 * * * *');
  const first = await costOf('/health');
  expect(first).toMatchObject({ status: 200, answer: { d1RoundTrips: 2, kvLists: 1 } });
  expect(first.answer.rowsRead ?? 0).toBeLessThanOrEqual(11);
  expect(await costOf('/health')).toEqual(answered());
});

test('a system that acts for a registrar takes one round trip more than its user does', async () => {
  const registrar = await addRegistrar(worker.env);
  const { code } = await addContact(worker.env, registrar);
  const system = await addSystem(worker.env, ['act-for']);
  const acting = (method: string, path: string, body?: unknown) =>
    costOf(path, send(method, system, body, { 'Acting-For': registrar.code }));
  const costs = [
    await acting('GET', `${list}/${code}`),
    await acting('GET', list),
    await acting('POST', list, { contact: newContact() }),
    await acting('DELETE', `${list}/${code}`),
  ];
  expect(costs.map(({ answer }) => answer)).toEqual([
    reads(2, 3),
    reads(2, 3),
    writes(3, 25, 21),
    writes(3, 14, 11),
  ]);
});

test('a login that needs a certificate takes no round trip more, and reads the certificate', async () => {
  const registrar = await addRegistrar(worker.env);
  const { code } = await addContact(worker.env, registrar);
  const { id } = registrar.apiUser;
  const fingerprint = 'a'.repeat(64);
  await worker.env.DB.batch([
    worker.env.DB.prepare('update api_users set certificate_required = 1 where id = ?').bind(id),
    worker.env.DB.prepare(
      `insert into certificates (api_user_id, fingerprint, created_at) values (?, ?, '')`,
    ).bind(id, fingerprint),
  ]);
  const request = send('GET', registrar);
  expect(await costOf(`${list}/${code}`, request)).toMatchObject({ status: 401 });
  const tlsClientAuth = {
    ...{ certPresented: '1', certVerified: 'SUCCESS', certRevoked: '0' },
    certFingerprintSHA256: fingerprint,
  };
  const presenting = { ...request, cf: { tlsClientAuth } };
  const first = await costOf(`${list}/${code}`, presenting);
  expect(first.answer).toEqual(reads(1, 7));
  expect(first.after).toMatchObject({ d1RoundTrips: 1 });
  expect(await costOf(`${list}/${code}`, presenting)).toEqual(answered(reads(1, 7)));
});

test('a system learns the state of a name in two round trips, one of them for its key', async () => {
  const system = await addSystem(worker.env);
  const { name } = await addAuction(worker.env);
  const state = await costOf(`/api/v1/internal/names/${name}`, send('GET', system));
  expect(state.answer).toEqual(reads(2, 4));
});

test('a system learns the states of a hundred names in two round trips, one of them for its key', async () => {
  const system = await addSystem(worker.env);
  const { name } = await addAuction(worker.env);
  const names = Array.from({ length: 100 }, (_, index) =>
    index === 0 ? name : `vaba-${index}.ee`,
  );
  const states = await costOf('/api/v1/internal/names/check', send('POST', system, { names }));
  expect(states.answer).toEqual(reads(2, 405));
});

test('a name is registered in four round trips, whatever it uses up, and taken back in four', async () => {
  const { env } = worker;
  const system = await addSystem(env, ['domains']);
  const registrar = await addRegistrar(env);
  const contact = await addContact(env, registrar);
  const domain = { registrar: registrar.code, registrant: contact.code };
  const secret = 'c'.repeat(32);
  const registration = (name: string) => `/api/v1/internal/names/${name}/registration`;
  const register = (name: string) =>
    costOf(registration(name), send('POST', system, { domain, password: secret }));
  const free = 'registered.ee';
  expect((await register(free)).answer).toEqual(writes(4, 59, 14));
  expect((await register(free)).answer).toEqual(reads(4, 16));
  const takeBack = () => costOf(registration(free), send('DELETE', system));
  expect((await takeBack()).answer).toEqual(writes(4, 54, 7));
  expect((await takeBack()).answer).toEqual(reads(3, 4));
  const { name } = await addRetainedDomain(env, { password: 'other' });
  await addAuction(env, { name, status: 'payment_received', registrationCode: secret });
  await addDispute(env, { name, password: secret });
  expect((await register(name)).answer).toMatchObject({ d1RoundTrips: 4 });
});

test('a system reserves a name in three round trips and releases it in two, one of them for its key', async () => {
  const system = await addSystem(worker.env, ['retained']);
  const published: boolean[] = [];
  const ask = async (method: string, status: string, body?: object) => {
    const path = `/api/v1/internal/retained_domains/counted.ee/${status}`;
    const { answer, after } = await costOf(path, send(method, system, body));
    published.push((after.kvWrites ?? 0) > 0);
    return answer;
  };
  for (const status of ['reserved', 'blocked']) {
    expect(await ask('PUT', status)).toMatchObject(writes(3, 8, 6));
    expect(await ask('PUT', status)).toMatchObject(reads(2, 2));
  }
  expect(await ask('PUT', 'reserved', { password: 'sesame' })).toMatchObject(writes(3, 9, 3));
  for (const status of ['reserved', 'blocked']) {
    expect(await ask('DELETE', status)).toMatchObject(writes(2, 13, 5));
  }
  // A repetition and a new password change no list.
  expect(published).toEqual([true, false, true, false, false, true, true]);
});

test('a system starts and cancels an auction in three round trips, one of them for its key', async () => {
  const system = await addSystem(worker.env, ['auctions']);
  const path = '/api/v1/internal/auctions';
  const body = { auction: { domain: 'counted-auction.ee' } };
  const start = () => costOf(path, send('POST', system, body));
  expect((await start()).answer).toMatchObject(writes(3, 27, 9));
  expect((await start()).answer).toMatchObject(reads(2, 13));
  const { uuid } = await addAuction(worker.env);
  const one = `${path}/${uuid}`;
  expect((await costOf(one, send('GET', system))).answer).toMatchObject(reads(2, 2));
  const cancel = await costOf(one, send('DELETE', system));
  expect(cancel.answer).toMatchObject(writes(3, 10, 5));
});

test('changes are followed in two round trips, and a page reads only what it examines', async () => {
  const registrar = await addRegistrar(worker.env);
  const { code } = await addContact(worker.env, registrar);
  const system = await addSystem(worker.env, ['changes']);
  const path = '/api/v1/internal/changes';
  const read = async (url: string) => (await costOf(url, send('GET', system))).answer;
  const addEntries = (count: number) =>
    worker.env.DB.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
      insert into history (occurred_at, subject, subject_key, action, actor_type, actor, changes)
      select '2026-01-01T00:00:00.000Z', 'contact', ?, 'update', 'operator', 'Operator', '{"fax":{"redacted":true}}' from n`,
    )
      .bind(count, code)
      .run();
  await addEntries(1);
  const start = await worker.fetch(`${path}?limit=0`, send('GET', system));
  const { after } = (await start.json()) as { after: string };
  await addEntries(500);
  expect(await read(`${path}?limit=0`)).toEqual(reads(2, 3));
  // Each entry twice, to find the end of the page and to read it, and each of its fields.
  expect(await read(`${path}?after=${after}`)).toEqual(reads(2, 605));
  expect(await read(`${path}?after=${after}&limit=1`)).toEqual(reads(2, 8));
  const contact = await costOf(`/api/v1/internal/contacts/${code}`, send('GET', system));
  expect(contact.answer).toEqual(reads(2, 3));
});

test('a batch of domains takes six round trips, however many there are, and four if nothing changes', async () => {
  const system = await addSystem(worker.env, ['domains']);
  const registrar = await addRegistrar(worker.env);
  const { code } = await addContact(worker.env, registrar);
  const { code: other } = await addContact(worker.env, registrar, { ident: '49403136526' });
  const tell = (count: number, registrant = code) =>
    costOf(
      '/api/v1/internal/domains/batch',
      send('POST', system, {
        domains: Array.from({ length: count }, (_, n) => ({
          ...{ name: `batch${count}-${n}.ee`, registrar: registrar.code, registrant },
        })),
      }),
    );
  for (const count of [1, 500]) {
    expect((await tell(count)).answer.d1RoundTrips).toBe(6);
    expect((await tell(count, other)).answer.d1RoundTrips).toBe(6);
    expect((await tell(count, other)).answer.d1RoundTrips).toBe(4);
  }
});

test('a batch that replaces the contacts of domains reads rows in proportion to the links', async () => {
  const { env } = worker;
  const system = await addSystem(env, ['domains']);
  const registrar = await addRegistrar(env);
  const contacts = Array.from({ length: 40 }, () => addContact(env, registrar));
  const codes = (await Promise.all(contacts)).map(({ code }) => code);
  const report = async (count: number, admin_contacts: string[]) => {
    const domain = { registrar: registrar.code, registrant: codes[0], admin_contacts };
    const domains = Array.from({ length: count }, (_, n) => ({
      ...{ name: `replaced${count}-${n}.ee`, ...domain },
    }));
    const { answer } = await costOf(
      '/api/v1/internal/domains/batch',
      send('POST', system, { domains }),
    );
    return answer.rowsRead ?? 0;
  };
  const rowsOfEach: number[] = [];
  for (const count of [10, 40]) {
    await report(count, codes.slice(0, 20));
    rowsOfEach.push((await report(count, codes.slice(20))) / (count * 20));
  }
  // Each link is found, compared, deleted, and written with its index and counter.
  for (const rows of rowsOfEach) expect(rows).toBeLessThan(25);
});

test('a transfer sends a few statements, and reads rows in proportion to the contacts, with webhooks too', async () => {
  const { env } = worker;
  const system = await addSystem(env, ['domains']);
  const [registrar, other] = [await addRegistrar(env), await addRegistrar(env)];
  await addWebhooks(registrar, other);
  const rowsOfEach: number[] = [];
  for (const count of [20, 80, 200]) {
    const added = Array.from({ length: count }, () => addContact(env, registrar));
    const [registrant, ...codes] = (await Promise.all(added)).map(({ code }) => code);
    const roles = { admin_contacts: codes.slice(0, 99), tech_contacts: codes.slice(99) };
    const domain = { registrar: registrar.code, registrant, ...roles };
    // The second transfer uses the copies of the first.
    for (const name of [`copied${count}.ee`, `again${count}.ee`]) {
      const path = `/api/v1/internal/domains/${name}`;
      expect((await costOf(path, send('PUT', system, { domain }))).status).toBe(201);
      const to = send('POST', system, { registrar: other.code });
      const counting = counted(env);
      const { answer } = await cost(counting, `${path}/transfer`, to);
      expect(answer.d1RoundTrips).toBe(6);
      rowsOfEach.push((answer.rowsRead ?? 0) / count);
      expect(counting.sent.statements).toBeGreaterThan(6);
      expect(counting.sent.statements).toBeLessThan(20);
    }
  }
  for (const rows of rowsOfEach) expect(rows).toBeLessThan(90);
});

test('a domain is reported, read, transferred, deleted and released in six round trips at most', async () => {
  const { env } = worker;
  const system = await addSystem(env, ['domains']);
  const [registrar, other] = [await addRegistrar(env), await addRegistrar(env)];
  const { code } = await addContact(env, registrar);
  const domain = { registrar: registrar.code, registrant: code };
  const path = '/api/v1/internal/domains/told.ee';
  const tell = (by: object) => costOf(path, send('PUT', system, { domain: by }));
  const [there, gone] = [send('GET', system), send('DELETE', system)];
  expect((await tell(domain)).answer).toEqual(writes(6, 53, 11));
  expect((await tell(domain)).answer).toEqual(reads(4, 15));
  expect((await tell({ ...domain, tech_contacts: [code] })).answer).toEqual(writes(5, 55, 9));
  expect((await costOf(path, there)).answer).toEqual(reads(2, 11));
  const transfer = send('POST', system, { registrar: other.code });
  // The order of the copies' codes, which are random, decides a few rows.
  const { rowsRead = 0, ...transferred } = (await costOf(`${path}/transfer`, transfer)).answer;
  expect(transferred).toEqual({ d1RoundTrips: 6, ...countedRows({ rowsWritten: 48 }) });
  expect(rowsRead).toBeLessThanOrEqual(165);
  expect((await costOf(path, gone)).answer).toEqual(writes(4, 53, 9));
  expect((await costOf(path, gone)).answer).toEqual(reads(3, 5));
  await tell(domain);
  const release = await costOf(`${path}?release=true`, gone);
  expect(release.answer).toMatchObject({ d1RoundTrips: 4 });
});

it('a person is identified in two round trips with each call, and the proof is read in one', async () => {
  const registrar = await addRegistrar(worker.env);
  const { code } = await addContact(worker.env, registrar);
  const ask = (call: string, method = 'POST') =>
    costOf(`${list}/${call}/${code}`, send(method, registrar));
  const unchanged = reads(1, 5);
  const written = writes(2, 14, 5);
  expect((await ask('verify')).answer).toEqual(written);
  expect((await ask('verify')).answer).toEqual(unchanged);
  const { identityRequest } = await getContactByCode(worker.db, code);
  const { id } = identityRequest!;
  const link = `${identityService.settings.IDENTITY_SERVICE_URL}/identify/${id}?callback=no`;
  await fetch(`${link}&outcome=mismatch`, { method: 'POST' });
  const callback = callbackOf({ id, client_id: 'sandbox-priv', reference: code });
  const path = '/eeid/webhooks/identification_requests';
  // The notification as well, and its index and sequence.
  const taken = await costOf(path, callback);
  expect(taken.answer).toEqual(writes(2, 18, 7));
  expect((await ask('download_poi', 'GET')).answer).toEqual(reads(1, 4));
  // The new identity is in three indexes, the former in one, and the verification leaves one.
  const approved = writes(3, 19, 10);
  expect((await ask('approve_verification')).answer).toEqual(approved);
  expect((await ask('reject_verification')).answer).toEqual(unchanged);
});

it('a list of the operator reads rows in proportion to what it lists, in however many pages', async () => {
  const { env } = worker;
  for (const count of [200, 801, 3_201]) {
    const { code } = await seedRegistrar(env, count);
    await env.DB.prepare(
      `insert into history (occurred_at, subject, subject_key, registrar, action, actor_type, actor, changes)
       select created_at, 'contact', ?1 || ':1', ?1, 'update', 'operator', 'Operator', '{}'
       from contacts where code like ?1 || ':%'`,
    )
      .bind(code)
      .run();
    const rowsOfEach = async <Row>(
      list: (db: Database, page: RowsAfter<Row>) => Promise<Row[]>,
    ): Promise<number> => {
      const counting = counted(env);
      const db = openDatabase(counting.env.DB);
      const rows = await Array.fromAsync(everyRow<Row>((page) => list(db, page), 50));
      return counting.counts.rowsRead / rows.length;
    };
    const registrar = { registrar: code };
    const contact = { subject: 'contact', key: `${code}:1` } as const;
    expect(
      await rowsOfEach<ContactWithRegistrar>((db, page) => listContactsBy(db, registrar, page)),
    ).toBeLessThan(2);
    expect(
      await rowsOfEach<HistoryEntry>((db, page) => listHistory(db, contact, page)),
    ).toBeLessThan(2);
    const contacts = { subject: 'contact' } as const;
    expect(
      await rowsOfEach<HistoryEntry>((db, page) => listHistory(db, contacts, page)),
    ).toBeLessThan(2);
  }
});

it('the desk reads of a registrar and of a contact as many rows as it shows, whatever others there are', async () => {
  const { env } = worker;
  for (const count of [200, 801, 3_201]) {
    const registrar = await addRegistrar(env);
    const { code, uuid } = await addContact(env, registrar);
    const fill = (statement: string, ...values: string[]) =>
      env.DB.prepare(
        `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count}) ${statement}`,
      ).bind(...values);
    const disclose = `insert into disclosures
      (contact_uuid, requester, identified_by, organization, basis, requested_fields, confidential, received_at)
      select ?, '', '', '', '', '[]', 0, '2026-01-01T00:00:00.000Z' from n`;
    const change = `insert into history
      (occurred_at, subject, subject_key, registrar, action, actor_type, actor, changes)
      select '2026-01-01T00:00:00.000Z', 'contact', ?1, ?2, 'update',
        iif(i % 2, 'api_user', 'operator'), '', '{}' from n`;
    await env.DB.batch([
      fill(disclose, uuid),
      fill(disclose, crypto.randomUUID()),
      fill(change, code, registrar.code),
      fill(change, code, `${registrar.code}-2`),
    ]);
    const rowsRead = async (read: (db: Database) => Promise<unknown[]>) => {
      const counting = counted(env);
      expect(await read(openDatabase(counting.env.DB))).toHaveLength(20);
      return counting.counts.rowsRead;
    };
    const bounded = {
      changes: await rowsRead((db) => listRegistrarsEntries(db, registrar.code, 20)),
      disclosures: await rowsRead((db) => listDisclosuresOf(db, [uuid], 20)),
    };
    if (countsRows) expect(bounded).toEqual({ changes: 20, disclosures: 20 });
  }
});

test('a search of the desk reads some rows of each registrar, and no more of a larger one', async () => {
  const { env } = worker;
  const read: Record<string, number[]> = {};
  for (const count of [202, 802, 3_202]) {
    const { code, id } = await seedRegistrar(env, count);
    await env.DB.batch([
      env.DB.prepare(
        `insert into history (occurred_at, subject, subject_key, subject_uuid, registrar, action, actor_type, actor, changes)
         select created_at, 'contact', code, uuid, ?2, 'update', 'operator', 'Operator',
           json_object('email', json_object('from', 'old-' || email, 'to', email))
         from contacts where registrar_id = ?1`,
      ).bind(id, code),
      env.DB.prepare(
        `insert into history (occurred_at, subject, subject_key, subject_uuid, registrar, action, actor_type, actor, changes)
         select created_at, 'contact', code || 'D', 'gone-' || uuid, ?2, 'delete', 'operator', 'Operator',
           json_object('ident', json_object('from', 'D' || ident, 'to', null, 'key', 'D' || ident))
         from contacts where registrar_id = ?1`,
      ).bind(id, code),
      env.DB.prepare(
        `insert into disclosures (ident_country_code, ident_key, ident_type, contact_uuid, requester,
           identified_by, organization, basis, requested_fields, confidential, received_at)
         select ident_country_code, ident_key, ident_type, uuid, '', '', '', '', '[]', 1, created_at
         from contacts where registrar_id = ?`,
      ).bind(id),
    ]);
    const counting = counted(env);
    const db = openDatabase(counting.env.DB);
    const contact = await getContactByCode(db, `${code}:00000001`);
    const { uuid } = contact;
    const searches: Record<string, () => Promise<unknown>> = {
      'a name': () => findContacts(db, 'maasikas mari', 21),
      nobody: () => findContacts(db, 'qwertyuiop', 21),
      'words that no name has together': () => findContacts(db, 'mari jaan', 21),
      'a name with a mistake': () => findNearPersons(db, 'mari massikas', 21),
      'a telephone number': () => findContacts(db, '+372 500 00 01', 21),
      'an address': () => findContacts(db, 'mari1@example.ee', 21),
      'an earlier address': () => findContacts(db, 'old-mari1@example.ee', 21),
      'an identity code': () => findContacts(db, '00000001', 21),
      'the identity code of a deleted contact': () => findContacts(db, 'D00000001', 21),
      'the code of a deleted contact': () => findGoneContacts(db, `${code}:00000001D`, 21),
      'the UUID of a deleted contact': () => findGoneContacts(db, `gone-${uuid}`, 21),
      'a person': () => listContactsOfSamePerson(db, uuid),
      'requests for a person’s data': () => listRequestsFor(db, contact, [uuid], 50),
      'whose data were asked for': () => findAskedFor(db, [uuid, `gone-${uuid}`]),
    };
    for (const [what, search] of Object.entries(searches)) {
      const { rowsRead } = { ...counting.counts };
      await search();
      read[what] = [...(read[what] ?? []), counting.counts.rowsRead - rowsRead];
    }
  }
  for (const rows of Object.values(countsRows ? read : {})) {
    // There is one registrar more each time.
    expect(Math.max(...rows) - Math.min(...rows)).toBeLessThan(20);
    expect(Math.max(...rows)).toBeLessThan(5_500);
  }
});

test('no call lacks a handler, a description, an example, values for its path or a measured cost', () => {
  const lacking = [...new Set([...routed, ...described.keys()])].flatMap((call) => {
    const [method = '', path = ''] = call.split(' ');
    const { operationId = '' } = described.get(call) ?? {};
    const isWithoutExample = method === 'OPTIONS' || /Page|Feed/.test(operationId);
    const request = new RegExp(`^${call.replace(/\{.*?\}/g, '[^/]+')}$`);
    const has = {
      'a handler': routed.includes(call),
      'a description in a file *.openapi.ts': described.has(call),
      'an example in examples.json': isWithoutExample || operationId in examples,
      'values in test/attack/requests.ts': !path.includes('{') || findValues(path),
      'its cost in test/counts.test.ts': measured.some((each) => request.test(each)),
    };
    const steps = Object.entries(has).flatMap(([step, isThere]) => (isThere ? [] : step));
    return steps.length > 0 ? `${call} lacks ${steps.join(', ')}` : [];
  });
  expect(lacking).toEqual([]);
});
