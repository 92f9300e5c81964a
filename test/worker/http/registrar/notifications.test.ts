import { eq, sql } from 'drizzle-orm';
import { beforeEach, expect, it } from 'vitest';
import { notifications } from '../../../../drizzle/schema.ts';
import {
  changeContactStatuses,
  deleteAnyContact,
  updateAnyContact,
} from '../../../../src/contact/operator/administer.ts';
import { transferContact } from '../../../../src/contact/operator/transfer.ts';
import { deleteOldNotifications } from '../../../../src/party/registrar/notification.ts';
import {
  answerOf,
  completed,
  missing,
  parameterDetails,
  refused,
  registrantClient,
  registrarClient,
} from '../../../support/client.ts';
import {
  addContact,
  addNotification,
  addPerson,
  addRegistrar,
  send,
} from '../../../support/fixtures.ts';
import { shareWorker } from '../../../support/worker.ts';

const worker = shareWorker();
const registrant = registrantClient(worker);
const registrars = registrarClient(worker);

let registrar: Awaited<ReturnType<typeof addRegistrar>>;
let person: Awaited<ReturnType<typeof addPerson>>;
beforeEach(async () => {
  registrar = await addRegistrar(worker.env);
  person = await addPerson(worker.env);
});

const contactOfPerson = (overrides: Parameters<typeof addContact>[2] = {}) =>
  addContact(worker.env, registrar, {
    ident: person.code,
    identCountryCode: person.countryCode,
    ...overrides,
  });

const path = '/repp/v1/registrar/notifications';
const request = (method: string, suffix: string | number = '', body?: unknown, who = registrar) =>
  answerOf(worker.fetch(`${path}${suffix === '' ? '' : `/${suffix}`}`, send(method, who, body)));
const oldest = async () => (await request('GET')).body.data;
const unread = async (query = '') => (await request('GET', `all_notifications${query}`)).body.data;
const markRead = (id: number, who = registrar) =>
  request('PUT', id, { notification: { read: true } }, who);

it('a registrar learns which fields of its contact the registrant changed, without their values', async () => {
  const contact = await contactOfPerson();
  await registrant.update(person, contact.uuid, {
    email: 'new@example.ee',
    address: { country_code: 'LV' },
    disclosed_attributes: ['name'],
  });
  const notification = {
    id: expect.any(Number),
    type: 'contact.updated',
    cause: null,
    text: `Contact ${contact.code} has been updated by registrant`,
    attached_obj_type: 'Contact',
    attached_obj_id: contact.code,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
    read: false,
    fields: ['email', 'country_code', 'disclosed_attributes'],
  };
  expect(await request('GET')).toEqual(completed({ ...notification, total: 1 }));
  expect(await request('GET', 'all_notifications')).toEqual(completed([notification]));
  const { id } = await oldest();
  expect(await request('GET', id)).toEqual(completed({ ...notification, total: 1 }));
});

it('a registrar learns what the operator did to its contacts', async () => {
  const { code } = await contactOfPerson();
  const status = { add: ['serverDeleteProhibited'], remove: [], note: 'court order' } as const;
  await changeContactStatuses({ ...worker.operation, isDryRun: true }, code, status);
  expect(await unread()).toEqual([]);
  await changeContactStatuses(worker.operation, code, status);
  await changeContactStatuses(worker.operation, code, status);
  await changeContactStatuses(worker.operation, code, {
    add: [],
    remove: ['serverDeleteProhibited'],
  });
  await updateAnyContact(worker.operation, code, { email: 'new@example.ee' });
  await deleteAnyContact(worker.operation, code);
  const told = (await unread()).map(({ text, fields }: { text: string; fields: string[] }) => [
    text,
    fields,
  ]);
  expect(told).toEqual([
    [`Contact ${code} has been updated by registry`, ['statuses', 'status_notes']],
    [`Contact ${code} has been updated by registry`, ['statuses', 'status_notes']],
    [`Contact ${code} has been updated by registry`, ['email']],
    [`Contact ${code} has been deleted by registry`, []],
  ]);
});

it('a registrar is told nothing of what changed nothing, of what was refused, and of its own changes', async () => {
  const contact = await contactOfPerson();
  const prohibited = await contactOfPerson({ statuses: ['serverUpdateProhibited'] });
  await registrant.update(person, contact.uuid, { email: contact.email });
  await registrant.update(person, prohibited.uuid, { email: 'new@example.ee' });
  await registrars.update(registrar, contact.code, { email: 'new@example.ee' });
  await registrars.delete(registrar, contact.code);
  expect(await request('GET')).toEqual(completed({}));
  expect(await request('GET', 'all_notifications')).toEqual(completed([]));
});

it('a registrar is told once of a request that is sent twice with its key', async () => {
  const contact = await contactOfPerson();
  const headers = { 'Idempotency-Key': 'told-once' };
  for (let n = 0; n < 2; n++) {
    await registrant.update(person, contact.uuid, { email: 'new@example.ee' }, headers);
  }
  expect(await unread()).toHaveLength(1);
});

it('a registrar reads its unread notifications from the oldest on, in pages', async () => {
  const contact = await contactOfPerson();
  for (const email of ['1@example.ee', '2@example.ee', '3@example.ee']) {
    await registrant.update(person, contact.uuid, { email });
  }
  const [first, second, third] = await unread();
  expect(first.id).toBeLessThan(second.id);
  expect(await oldest()).toEqual({ ...first, total: 3 });
  expect(await unread('?limit=1&offset=1')).toEqual([second]);
  expect(await request('GET', 'all_notifications?limit=201')).toEqual(
    refused(2004, 'Parameter value range error [limit]', 'limit', 400, parameterDetails.limit),
  );
  const page = await worker.fetch(`${path}/all_notifications?limit=2`, send('GET', registrar));
  const [, next] = /<(.+)>; rel="next"/.exec(page.headers.get('Link') ?? '') ?? [];
  // By offset, the last one would be skipped now.
  await markRead(first.id);
  await markRead(second.id);
  const { pathname, search } = new URL(next!);
  const { body } = await answerOf(worker.fetch(pathname + search, send('GET', registrar)));
  expect(body.data).toEqual([third]);
});

it('a registrar learns the number of its unread notifications, counted up to ten thousand', async () => {
  await addNotification(worker.env, registrar);
  await worker.db.run(sql`
    insert into notifications (registrar_id, event, text, subject_key, fields, created_at)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 10000)
      select registrar_id, event, text, subject_key, fields, created_at
        from notifications, numbers where registrar_id = ${registrar.id}`);
  expect(await oldest()).toMatchObject({ total: 10_000 });
  await worker.db.run(sql`update notifications set read_at = created_at
    where registrar_id = ${registrar.id} and id % 2 = 0`);
  expect((await oldest()).total).toBeLessThan(5_002);
});

it('a registrar whose contact goes to another learns that it lives on, by the cause', async () => {
  const other = await addRegistrar(worker.env);
  const { code } = await addContact(worker.env, registrar);
  const gone = await addContact(worker.env, registrar);
  await transferContact(worker.operation, code, other.code);
  await deleteAnyContact(worker.operation, gone.code);
  expect(await unread()).toMatchObject([
    { type: 'contact.deleted', cause: 'transfer', attached_obj_id: code, fields: [] },
    { type: 'contact.deleted', cause: null, attached_obj_id: gone.code, fields: [] },
  ]);
  expect((await request('GET', '', undefined, other)).body.data).toMatchObject({
    type: 'contact.updated',
    cause: 'transfer',
    fields: ['registrar_id', 'auth_info'],
  });
});

it('a registrar marks one as read, again and again with the same answer', async () => {
  const contact = await contactOfPerson();
  await registrant.update(person, contact.uuid, { email: '1@example.ee' });
  await registrant.update(person, contact.uuid, { email: '2@example.ee' });
  const [first, second] = await unread();
  for (let n = 0; n < 2; n++) {
    expect(await markRead(first.id)).toEqual(completed({ notification_id: first.id, read: true }));
  }
  expect(await oldest()).toEqual({ ...second, total: 1 });
  expect(await request('GET', first.id)).toEqual(completed({ ...first, read: true, total: 1 }));
});

const mustBeTrue = 'Expected: the JSON value true.';

it.each([
  [{}, 2003, 'Required parameter missing [notification]', 'notification'],
  [{ notification: {} }, 2003, 'Required parameter missing [read]', 'read'],
  [{ notification: { read: false } }, 2005, 'Read must be true [read]', 'read', mustBeTrue],
  [{ notification: { read: 'true' } }, 2005, 'Read must be true [read]', 'read', mustBeTrue],
])('a registrar cannot say %j', async (body, code, message, field, detail?: string) => {
  const contact = await contactOfPerson();
  await registrant.update(person, contact.uuid, { email: 'new@example.ee' });
  const { id } = await oldest();
  expect(await request('PUT', id, body)).toEqual(refused(code, message, field, 400, detail));
  expect((await oldest()).read).toBe(false);
});

it('a registrar finds nothing of another registrar, and nothing under an id that is none', async () => {
  const contact = await contactOfPerson();
  await registrant.update(person, contact.uuid, { email: 'new@example.ee' });
  const { id } = await oldest();
  const other = await addRegistrar(worker.env);
  expect(await request('GET', '', undefined, other)).toEqual(completed({}));
  expect(await request('GET', id, undefined, other)).toEqual(missing);
  expect(await markRead(id, other)).toEqual(missing);
  for (const none of [0, 999_999_999, '1e3', '1.0', '-1', '9'.repeat(30), 'x']) {
    expect(await request('GET', none)).toEqual(missing);
  }
  expect((await oldest()).read).toBe(false);
});

it('a registrar marks nothing as read from an address that its allow-list refuses', async () => {
  const elsewhere = await addRegistrar(worker.env, { allowedIps: ['203.0.113.0/24'] });
  const planted = await addNotification(worker.env, elsewhere);
  expect((await markRead(planted.id, elsewhere)).status).toBe(401);
  const [row] = await worker.db
    .select()
    .from(notifications)
    .where(eq(notifications.id, planted.id));
  expect(row?.readAt).toBeNull();
});

it('a notification is deleted 90 days after it was read, and never while it is unread', async () => {
  const contact = await contactOfPerson();
  for (const email of ['1@example.ee', '2@example.ee', '3@example.ee']) {
    await registrant.update(person, contact.uuid, { email });
  }
  const [first, second, third] = await unread();
  const read = (id: number, readAt: string) =>
    worker.db.update(notifications).set({ readAt }).where(eq(notifications.id, id));
  await read(first.id, '2001-01-01T00:00:00.000Z');
  await read(second.id, '2001-01-01T00:00:00.001Z');
  await deleteOldNotifications(worker.db, new Date('2001-04-01T00:00:00.001Z'));
  expect((await request('GET', first.id)).status).toBe(404);
  expect((await request('GET', second.id)).status).toBe(200);
  expect(await unread()).toEqual([third]);
});
