import { asc, eq } from 'drizzle-orm';
import { expect, it, test } from 'vitest';
import { contacts, history, idempotencyKeys } from '../../../../drizzle/schema.ts';
import { rotateHolder } from '../../../../src/party/credential/holder.ts';
import { app } from '../../../../src/worker/http/app.ts';
import { openApiDocument } from '../../../../src/worker/http/document.openapi.ts';
import { answerOf } from '../../../support/client.ts';
import {
  addContact,
  addNotification,
  addRegistrar,
  addSystem,
  newContact,
  operator,
  pendingRequest,
  send,
  verification,
} from '../../../support/fixtures.ts';
import { pdf, sharedIdentityService } from '../../../support/identity-service.ts';
import { shareWorker } from '../../../support/worker.ts';

const worker = shareWorker();
const list = '/repp/v1/contacts';

type Registrar = Awaited<ReturnType<typeof addRegistrar>>;
type Sender = (method: string, path: string, body?: unknown, headers?: object) => Answer;
type Answer = ReturnType<typeof answerOf>;

const sender =
  (caller: { authorization: string }, own: object): Sender =>
  (method, path, body, headers) =>
    answerOf(worker.fetch(path, send(method, caller, body, { ...own, ...headers })));

const actingAs = (system: { authorization: string }, code: string) =>
  sender(system, { 'Acting-For': code });

/** What a call may be about. */
interface Subjects {
  code: string;
  notification: number;
}

const calls: Record<string, (subjects: Subjects) => [path: string, body?: unknown]> = {
  'GET /repp/v1/contacts': () => [`${list}?details=true&offset=1`],
  'POST /repp/v1/contacts': () => [list, { contact: newContact({ id: 'NEW' }) }],
  'POST /repp/v1/contacts/validate': () => [
    `${list}/validate`,
    { contacts: [newContact({ id: 'FIRST' }), newContact({ id: 'C' })] },
  ],
  'GET /repp/v1/contacts/check/{code}': () => [`${list}/check/FIRST`],
  'GET /repp/v1/contacts/{code}': ({ code }) => [`${list}/${code}`],
  'PUT /repp/v1/contacts/{code}': ({ code }) => [
    `${list}/${code}`,
    { contact: { phone: '+372.6000000' } },
  ],
  'DELETE /repp/v1/contacts/{code}': ({ code }) => [`${list}/${code}`],
  'GET /repp/v1/contacts/{code}/history': ({ code }) => [`${list}/${code}/history`],
  'POST /repp/v1/contacts/{code}/verifications': ({ code }) => [
    `${list}/${code}/verifications`,
    { verification: { claim: 'email', method: 'email' } },
  ],
  'DELETE /repp/v1/contacts/{code}/verifications/{id}': ({ code }) => [
    `${list}/${code}/verifications/first`,
  ],
  'POST /repp/v1/contacts/verify/{code}': ({ code }) => [`${list}/verify/${code}`],
  'POST /repp/v1/contacts/approve_verification/{code}': ({ code }) => [
    `${list}/approve_verification/${code}`,
  ],
  'POST /repp/v1/contacts/reject_verification/{code}': ({ code }) => [
    `${list}/reject_verification/${code}`,
  ],
  'GET /repp/v1/contacts/download_poi/{code}': ({ code }) => [`${list}/download_poi/${code}`],
  'GET /repp/v1/registrar': () => ['/repp/v1/registrar'],
  'POST /repp/v1/registrar/api_user/secret': () => ['/repp/v1/registrar/api_user/secret'],
  'GET /repp/v1/registrar/notifications': () => ['/repp/v1/registrar/notifications'],
  'GET /repp/v1/registrar/notifications/all_notifications': () => [
    '/repp/v1/registrar/notifications/all_notifications',
  ],
  'GET /repp/v1/registrar/notifications/{id}': ({ notification }) => [
    `/repp/v1/registrar/notifications/${notification}`,
  ],
  'PUT /repp/v1/registrar/notifications/{id}': ({ notification }) => [
    `/repp/v1/registrar/notifications/${notification}`,
    { notification: { read: true } },
  ],
};

const documented = Object.entries(openApiDocument().paths ?? {}).flatMap(([path, item]) =>
  Object.keys(item ?? {}).map((method) => `${method.toUpperCase()} ${path}`),
);

it('every call of the registrars is tried here by a system', () => {
  const theirs = documented.filter((call) => /\/repp\/v1\/(contacts|registrar)/.test(call));
  expect(Object.keys(calls).sort()).toEqual(theirs.sort());
});

/** A registrar with two contacts and a notification, and what a caller gets by the call there. */
async function answered(call: string, senderFor: (registrar: Registrar) => Sender) {
  const registrar = await addRegistrar(worker.env, { name: 'Alpha' });
  await addContact(worker.env, registrar, { code: `${registrar.code}:FIRST` });
  const values = {
    code: `${registrar.code}:SECOND`,
    name: 'Mari',
    email: 'mari@example.ee',
    identityVerification: verification({ id: 'first' }),
    identityRequest: pendingRequest(),
  };
  const { code } = await addContact(worker.env, registrar, values);
  const { id } = await addNotification(worker.env, registrar, { subjectKey: 'C' });
  const [path, body] = calls[call]!({ code, notification: id });
  const [method] = call.split(' ') as [string];
  const { status, body: given } = await senderFor(registrar)(method, path, body);
  const withoutIds = (key: string, value: unknown) =>
    /^(registrar_|notification_)?id$/.test(key) && typeof value === 'number' ? 0 : value;
  const text = JSON.stringify(given, withoutIds).replaceAll(registrar.code, 'ALPHA');
  return { status, text: text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UUID') };
}

const different = [
  'GET /repp/v1/registrar',
  'POST /repp/v1/registrar/api_user/secret',
  // It answers with a PDF.
  'GET /repp/v1/contacts/download_poi/{code}',
];

it.each(Object.keys(calls).filter((call) => !different.includes(call)))(
  '%s answers a system that acts for a registrar as it answers its user',
  async (call) => {
    const system = await addSystem(worker.env, ['act-for']);
    const toUser = await answered(call, (registrar) => sender(registrar, {}));
    const toSystem = await answered(call, ({ code }) => actingAs(system, code));
    expect(toUser.status).toBe(200);
    expect(toSystem).toEqual(toUser);
  },
);

test('a system gets the proof of identity of a contact of its registrar', async () => {
  const registrar = await addRegistrar(worker.env);
  const values = { identityRequest: pendingRequest() };
  const { code } = await addContact(worker.env, registrar, values);
  const system = await addSystem(worker.env, ['act-for']);
  const headers = { 'Acting-For': registrar.code };
  const service = await sharedIdentityService();
  const answer = await service.failing(/proof_of_identity/, pdf, () =>
    worker.fetch(`${list}/download_poi/${code}`, send('GET', system, undefined, headers)),
  );
  expect([answer.status, await answer.text()]).toEqual([200, '%PDF-1.4\n%%EOF\n']);
});

test('the account of the registrar has no user for a system', async () => {
  const registrar = await addRegistrar(worker.env, { allowedIps: ['203.0.113.1'] });
  const system = await addSystem(worker.env, [`act-for=${registrar.code}`]);
  const { status, body } = await actingAs(system, registrar.code)('GET', '/repp/v1/registrar');
  expect([status, body.data.registrar]).toEqual([
    200,
    {
      code: registrar.code,
      name: registrar.name,
      allowed_ips: ['203.0.113.1'],
      webhook_url: null,
      api_user: null,
    },
  ]);
});

test('a system gets no new secret of a user', async () => {
  const registrar = await addRegistrar(worker.env);
  const acting = actingAs(await addSystem(worker.env, ['act-for']), registrar.code);
  const { status, body } = await acting('POST', '/repp/v1/registrar/api_user/secret');
  expect([status, body.code]).toEqual([400, 2304]);
});

test('what a system does for a registrar is in its own name', async () => {
  const registrar = await addRegistrar(worker.env);
  const system = await addSystem(worker.env, ['act-for']);
  const acting = actingAs(system, registrar.code.toLowerCase());
  const contact = newContact({ id: 'NEW' });
  const { body } = await acting('POST', list, { contact });
  const { id: code } = body.data.contact;
  await acting('PUT', `${list}/${code}`, { contact: { phone: '+372.6000000' } });
  const [row] = await worker.db.select().from(contacts).where(eq(contacts.code, code));
  const name = `System: ${system.name}`;
  expect(row).toMatchObject({ registrarId: registrar.id, creator: name, updater: name });
  const entries = await worker.db
    .select()
    .from(history)
    .where(eq(history.subjectKey, code))
    .orderBy(asc(history.id));
  expect(entries.map(({ actorType, actor }) => [actorType, actor])).toEqual([
    ['system', name],
    ['system', name],
  ]);
});

test('an idempotency key belongs to the system and the registrar together', async () => {
  const [registrar, other] = [await addRegistrar(worker.env), await addRegistrar(worker.env)];
  const system = await addSystem(worker.env, ['act-for']);
  const key = { 'Idempotency-Key': 'once' };
  const create = async (by: Sender) => {
    const { body } = await by('POST', list, { contact: newContact() }, key);
    return body.data.contact.id as string;
  };
  const first = await create(actingAs(system, registrar.code));
  expect(await create(actingAs(system, registrar.code))).toBe(first);
  const others = [
    await create(actingAs(system, other.code)),
    await create(actingAs(await addSystem(worker.env, ['act-for']), registrar.code)),
    await create(sender(registrar, {})),
  ];
  expect(new Set([first, ...others]).size).toBe(4);
  const holder = `system:${system.id}:registrar:${registrar.id}`;
  expect(await worker.db.$count(idempotencyKeys, eq(idempotencyKeys.caller, holder))).toBe(1);
});

test('another registrar’s contact does not exist for a system either', async () => {
  const [registrar, other] = [await addRegistrar(worker.env), await addRegistrar(worker.env)];
  const { code } = await addContact(worker.env, other);
  const acting = actingAs(await addSystem(worker.env, ['act-for']), registrar.code);
  expect(await acting('GET', `${list}/${code}`)).toMatchObject({
    status: 404,
    body: { code: 2303 },
  });
});

test('a system acts only for the registrars that it may act for', async () => {
  const [registrar, other] = [await addRegistrar(worker.env), await addRegistrar(worker.env)];
  const forOne = await addSystem(worker.env, [`act-for=${registrar.code}`]);
  const forNone = await addSystem(worker.env, ['domains']);
  const forbidden = (name: string) => {
    const message = `System ${name} may not act for this registrar`;
    const errors = [{ code: 2201, message, field: null }];
    return { status: 403, body: { code: 2201, message, data: {}, errors } };
  };
  expect((await actingAs(forOne, registrar.code)('GET', list)).status).toBe(200);
  expect(await actingAs(forOne, other.code)('GET', list)).toEqual(forbidden(forOne.name));
  expect(await actingAs(forNone, other.code)('GET', list)).toEqual(forbidden(forNone.name));
  // Whether there is such a registrar does not show.
  expect(await actingAs(forOne, 'NOBODY')('GET', list)).toEqual(forbidden(forOne.name));
});

test('a user’s credentials are a user’s, whoever the request would act for', async () => {
  const [registrar, other] = [await addRegistrar(worker.env), await addRegistrar(worker.env)];
  const { body } = await sender(registrar, { 'Acting-For': other.code })(
    'GET',
    '/repp/v1/registrar',
  );
  expect(body.data.registrar).toMatchObject({
    code: registrar.code,
    api_user: { username: registrar.apiUser.username },
  });
});

/** The limiters that a request is counted by, each time, and the keys. */
async function countedBy(headers: Record<string, string>) {
  const counted: string[] = [];
  const counting = (name: string) => ({
    limit: async ({ key }: RateLimitOptions) => {
      counted.push(`${name} ${key}`);
      return { success: true };
    },
  });
  const limits = ['CALLER', 'ADDRESS', 'FAILED_LOGIN', 'PASSWORD', 'SYSTEM'];
  const env = {
    ...worker.env,
    RATE_LIMIT_POLICY: worker.env.RATE_LIMIT_POLICY!.replaceAll(/q=\d+/g, 'q=9'),
    ...Object.fromEntries(limits.map((name) => [`${name}_LIMITER`, counting(name)])),
  };
  const context = { waitUntil: () => {} } as unknown as ExecutionContext;
  const from = { 'CF-Connecting-IP': '127.0.0.1' };
  await app.request(list, { headers: { ...from, ...headers } }, env, context);
  return counted;
}

test('the requests of a system that acts count for it alone, with whichever key, and none is a failed login', async () => {
  const { code } = await addRegistrar(worker.env);
  const { id, name, authorization: Authorization } = await addSystem(worker.env, ['act-for']);
  const counted = [`SYSTEM ${id}`];
  expect(await countedBy({ Authorization, 'Acting-For': code })).toEqual(counted);
  expect(await countedBy({ Authorization, 'Acting-For': 'NOBODY' })).toEqual(counted);
  const operation = { db: worker.db, origin: operator };
  const key = await rotateHolder(operation, { type: 'system', key: name }, { atOnce: false });
  const replaced = { Authorization: `Bearer ${key}`, 'Acting-For': code };
  for (const _ of [1, 2]) expect(await countedBy(replaced)).toEqual(counted);
  const wrong = { Authorization: 'Bearer wrong', 'Acting-For': code };
  expect(await countedBy(wrong)).toEqual(['FAILED_LOGIN 127.0.0.1']);
});
