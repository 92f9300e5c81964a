import { asc, eq } from 'drizzle-orm';
import { expect, it, test } from 'vitest';
import { contacts, history, idempotencyKeys } from '../../../../drizzle/schema.ts';
import { rotateHolder } from '../../../../src/party/credential/operator/holder.ts';
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
import { answerHere, shareWorker } from '../../../support/worker.ts';
import { registrarCalls } from '../openapi/operations.ts';

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

/** A registrar with two contacts and a notification, and what a caller gets by the call there. */
async function answered(
  { call, method, body, pathOf }: (typeof registrarCalls)[number],
  senderFor: (registrar: Registrar) => Sender,
) {
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
  const query = call === `GET ${list}` ? '?details=true&offset=1' : '';
  const path = pathOf(code, call.includes('notifications') ? id : 'first') + query;
  const { status, body: given } = await senderFor(registrar)(method, path, body);
  const withoutIds = (key: string, value: unknown) =>
    /^(registrar_|notification_)?id$/.test(key) && typeof value === 'number' ? 0 : value;
  const text = JSON.stringify(given, withoutIds).replaceAll(registrar.code, 'ALPHA');
  return { status, text: text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UUID') };
}

const different = [
  'GET /repp/v1/registrar',
  'POST /repp/v1/registrar/api_user/secret',
  'PUT /repp/v1/registrar/webhook',
  'POST /repp/v1/registrar/webhook/secret',
  'POST /repp/v1/registrar/webhook/test',
  'DELETE /repp/v1/registrar/webhook',
  // It answers with a PDF.
  'GET /repp/v1/contacts/download_poi/{code}',
];

it.each(registrarCalls.filter(({ call }) => !different.includes(call)))(
  '$call answers a system that acts for a registrar as it answers its user',
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
      phone: null,
      email: null,
      website: null,
      webhook_url: null,
      api_user: null,
    },
  ]);
});

test.each([
  ['POST', '/api_user/secret'],
  ['PUT', '/webhook'],
  ['POST', '/webhook/secret'],
  ['POST', '/webhook/test'],
  ['DELETE', '/webhook'],
])(
  'a system does not get or change by %s %s what is the registrar’s alone',
  async (method, path) => {
    const registrar = await addRegistrar(worker.env);
    const acting = actingAs(await addSystem(worker.env, ['act-for']), registrar.code);
    const webhook = method === 'PUT' ? { webhook: { url: 'http://localhost:9/' } } : undefined;
    const { status, body } = await acting(method, `/repp/v1/registrar${path}`, webhook);
    expect([status, body.code]).toEqual([400, 2304]);
  },
);

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

test('an idempotency key belongs to the user, or to the system and the registrar together', async () => {
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
    await create(sender(other, {})),
  ];
  expect(new Set([first, ...others]).size).toBe(5);
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
  // Whether there is such a registrar does not show to a system that may not act for it.
  expect(await actingAs(forOne, 'NOBODY')('GET', list)).toEqual(forbidden(forOne.name));
});

test('a system learns that the registrar for which it would act is unknown or suspended', async () => {
  const { code } = await addRegistrar(worker.env, { suspendedAt: '2026-01-01T00:00:00.000Z' });
  const system = await addSystem(worker.env, ['act-for']);
  for (const [registrar, message] of [
    ['NOBODY', 'There is no registrar "NOBODY"'],
    [code, `The registrar "${code}" is suspended`],
  ] as const) {
    expect(await actingAs(system, registrar)('GET', list)).toMatchObject({
      status: 403,
      body: { code: 2201, message },
    });
  }
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
  await answerHere(list, { headers }, env);
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
