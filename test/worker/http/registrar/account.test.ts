import { asc, eq } from 'drizzle-orm';
import { expect, it, vi } from 'vitest';
import { apiUsers, history } from '../../../../drizzle/schema.ts';
import { openDatabase } from '../../../../src/base/database/open.ts';
import { digestSecret } from '../../../../src/party/credential/holder.ts';
import { updateRegistrar } from '../../../../src/party/registrar/operator/account.ts';
import { hashPassword } from '../../../../src/party/registrar/operator/password.ts';
import { replaceOwnSecret } from '../../../../src/party/registrar/own-account.ts';
import { listDeliveries } from '../../../../src/party/webhook/operator/list.ts';
import { answerOf, completed, refused, registrarClient } from '../../../support/client.ts';
import { addRegistrar, basic, newContact, operator, send } from '../../../support/fixtures.ts';
import { shareWorker } from '../../../support/worker.ts';

const worker = shareWorker();
const registrars = registrarClient(worker);
const operation = () => ({ db: worker.db, origin: operator });

type Caller = { authorization: string };
type Registrar = Awaited<ReturnType<typeof addRegistrar>>;

const account = (caller: Caller) =>
  answerOf(worker.fetch('/repp/v1/registrar', send('GET', caller)));
const replace = (caller: Caller, headers = {}) =>
  answerOf(
    worker.fetch(
      '/repp/v1/registrar/api_user/secret',
      send('POST', caller, undefined, { 'CF-Connecting-IP': '127.0.0.1', ...headers }),
    ),
  );
const statusOf = async (caller: Caller) => (await account(caller)).status;

/** A new secret for the registrar's user, and who calls with it. */
async function replaced({ apiUser }: Registrar, caller: Caller) {
  const { status, body } = await replace(caller);
  expect(status).toBe(200);
  const { secret } = body.data.api_user;
  return { secret, authorization: basic(apiUser.username, secret) };
}

const rowOf = async ({ apiUser }: Registrar) => {
  const [row] = await worker.db.select().from(apiUsers).where(eq(apiUsers.id, apiUser.id));
  return row!;
};
const setRow = ({ apiUser }: Registrar, values: Partial<typeof apiUsers.$inferInsert>) =>
  worker.db.update(apiUsers).set(values).where(eq(apiUsers.id, apiUser.id));

/** Uses the secret, and waits until that is recorded, after the answer. */
async function use(registrar: Registrar, caller: Caller) {
  expect(await statusOf(caller)).toBe(200);
  await vi.waitFor(async () =>
    expect((await rowOf(registrar)).previousSecretValidUntil).not.toBeNull(),
  );
}

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
const unauthorized = refused(2202, 'Invalid authorization information', null, 401);

it('a registrar’s account says who calls, for which registrar, how people reach it, from where, and nothing secret', async () => {
  const channels = {
    phone: '+372.6123456',
    email: 'abi@registrar.example',
    website: 'https://registrar.example/',
  };
  const allowedIps = ['127.0.0.0/8', '::1'];
  const registrar = await addRegistrar(worker.env, { allowedIps, ...channels });
  await addRegistrar(worker.env);
  const webhookUrl = 'https://registrar.example/hook';
  const { webhookSecret } = await updateRegistrar(operation(), registrar.code, {
    webhookUrl,
  });
  const answer = await account(registrar);
  expect(answer).toEqual(
    completed({
      registrar: {
        code: registrar.code,
        name: registrar.name,
        ...channels,
        allowed_ips: allowedIps,
        webhook_url: webhookUrl,
        api_user: {
          username: registrar.apiUser.username,
          secret_changed_at: registrar.apiUser.secretChangedAt,
          previous_secret_valid_until: null,
        },
      },
    }),
  );
  expect(JSON.stringify(answer)).not.toContain(webhookSecret);
});

it('a new secret is 64 hexadecimal digits, and is kept as its digest alone', async () => {
  const registrar = await addRegistrar(worker.env);
  const { secret } = await replaced(registrar, registrar);
  expect(secret).toMatch(/^[0-9a-f]{64}$/);
  expect(await rowOf(registrar)).toMatchObject({
    secretDigest: await digestSecret(secret),
    previousSecretDigest: await digestSecret(registrar.secret),
    previousSecretChangedAt: registrar.apiUser.secretChangedAt,
    previousSecretValidUntil: null,
  });
  const { results } = await worker.env.DB.prepare('select * from history').all();
  for (const text of [secret, await digestSecret(secret)]) {
    expect(JSON.stringify(results)).not.toContain(text);
  }
});

it('the account says from the first use of a new secret on when the old one ends, until then', async () => {
  const registrar = await addRegistrar(worker.env);
  const caller = await replaced(registrar, registrar);
  const shown = async () => (await account(caller)).body.data.registrar.api_user;
  expect((await account(registrar)).body.data.registrar.api_user).toMatchObject({
    previous_secret_valid_until: null,
  });
  const first = await shown();
  expect(Date.parse(first.secret_changed_at)).toBeGreaterThan(Date.now() - 60_000);
  const { previous_secret_valid_until: until } = first;
  await vi.waitFor(async () =>
    expect(await rowOf(registrar)).toMatchObject({ previousSecretValidUntil: until }),
  );
  expect(await shown()).toEqual(first);
  await setRow(registrar, { previousSecretValidUntil: hoursAgo(0) });
  expect(await shown()).toMatchObject({ previous_secret_valid_until: null });
});

it('a new secret has its first use recorded once, however many requests come first', async () => {
  const registrar = await addRegistrar(worker.env);
  const caller = await replaced(registrar, registrar);
  await Promise.all(Array.from({ length: 5 }, () => use(registrar, caller)));
  const { previousSecretValidUntil: until } = await rowOf(registrar);
  await use(registrar, caller);
  const entries = await worker.db
    .select({ actor: history.actor, changes: history.changes })
    .from(history)
    .where(eq(history.subjectKey, registrar.apiUser.username))
    .orderBy(asc(history.id));
  const { id, username } = registrar.apiUser;
  const actor = `${id}-ApiUser: ${username}`;
  expect(entries).toEqual([
    { actor, changes: { secretDigest: { redacted: true } } },
    { actor, changes: { previousSecretValidUntil: { from: null, to: until } } },
  ]);
});

const notReplaced = (detail: string) => {
  const problem = { code: 2304, message: 'Object status prohibits operation', field: null, detail };
  const { code, message } = problem;
  return { status: 400, body: { code, message, data: {}, errors: [problem] } };
};

it('a new secret that is in use stays, whoever asks for another with the old one', async () => {
  const registrar = await addRegistrar(worker.env);
  const caller = await replaced(registrar, registrar);
  await use(registrar, caller);
  const kept = await rowOf(registrar);
  const detail =
    'This secret has been replaced by one that is in use: only that one can be replaced.';
  expect(await replace(registrar)).toEqual(notReplaced(detail));
  expect(await rowOf(registrar)).toEqual(kept);
  expect([await statusOf(registrar), await statusOf(caller)]).toEqual([200, 200]);
});

it('a new secret that is first used while the old one asks for another stays', async () => {
  const registrar = await addRegistrar(worker.env);
  const caller = await replaced(registrar, registrar);
  let batches = 0;
  const db = openDatabase({
    prepare: (query) => worker.env.DB.prepare(query),
    async batch<Row>(statements: D1PreparedStatement[]) {
      batches += 1;
      // The second one writes what was judged by the first one's look.
      if (batches === 2) await use(registrar, caller);
      return worker.env.DB.batch<Row>(statements);
    },
  });
  await expect(
    replaceOwnSecret(db, { ...registrar.login }, operator.request),
  ).rejects.toMatchObject({ reason: 'update_prohibited' });
  expect(await statusOf(caller)).toBe(200);
});

it('one of two secrets that were asked for at once is the new one, and the old one works', async () => {
  const registrar = await addRegistrar(worker.env);
  const both = await Promise.all([0, 1].map(() => replaced(registrar, registrar)));
  const statuses = await Promise.all(both.map(statusOf));
  expect(statuses.sort()).toEqual([200, 401]);
  expect(await statusOf(registrar)).toBe(200);
});

it('a new secret does not replace itself while the old one works, and does so afterwards', async () => {
  const registrar = await addRegistrar(worker.env);
  const caller = await replaced(registrar, registrar);
  const detail = 'This secret is new: it cannot be replaced while the one before it still works.';
  const tooEarly = notReplaced(detail);
  expect(await replace(caller)).toEqual(tooEarly);
  await use(registrar, caller);
  expect(await replace(caller)).toEqual(tooEarly);
  await setRow(registrar, { previousSecretValidUntil: hoursAgo(0) });
  const next = await replaced(registrar, caller);
  expect(await account(registrar)).toEqual(unauthorized);
  expect([await statusOf(caller), await statusOf(next)]).toEqual([200, 200]);
});

it('a registrar is told of a new secret, by its webhook too', async () => {
  const registrar = await addRegistrar(worker.env);
  const webhookUrl = 'https://registrar.example/hook';
  await updateRegistrar(operation(), registrar.code, { webhookUrl });
  await replaced(registrar, registrar);
  const options = { registrar: registrar.code, limit: 9 };
  expect(await listDeliveries(worker.db, options)).toMatchObject([
    { event: 'api_user.updated', subjectKey: registrar.apiUser.username },
  ]);
  const path = '/repp/v1/registrar/notifications';
  const { body } = await answerOf(worker.fetch(path, send('GET', registrar)));
  const { username } = registrar.apiUser;
  expect(body.data).toMatchObject({
    text: `Secret of API user ${username} has been replaced by API user ${username}. If that was somebody else, call the operator of the registry at once.`,
    attached_obj_type: 'ApiUser',
    attached_obj_id: username,
    read: false,
    fields: ['secret'],
  });
});

it('a new secret is not kept for an idempotency key: each call makes one', async () => {
  const registrar = await addRegistrar(worker.env);
  const headers = { 'Idempotency-Key': 'secret' };
  const [first, second] = [await replace(registrar, headers), await replace(registrar, headers)];
  expect([first.status, second.status]).toEqual([200, 200]);
  expect(second.body.data.api_user.secret).not.toBe(first.body.data.api_user.secret);
  const { results } = await worker.env.DB.prepare('select * from idempotency_keys').all();
  expect(JSON.stringify(results)).not.toContain(second.body.data.api_user.secret);
});

it('a new secret finds the answers that are kept for the keys of the old one', async () => {
  const registrar = await addRegistrar(worker.env);
  const headers = { 'Idempotency-Key': 'before' };
  const create = (caller: Caller) => registrars.create(caller, newContact(), headers);
  const first = await create(registrar);
  expect(await create(await replaced(registrar, registrar))).toEqual(first);
});

it('the call for a new secret says which fields of a body it ignores', async () => {
  const registrar = await addRegistrar(worker.env);
  const path = '/repp/v1/registrar/api_user/secret';
  const response = await worker.fetch(path, send('POST', registrar, { secret: 'my own' }));
  expect(response.status).toBe(200);
  expect(response.headers.get('Ignored-Fields')).toBe('secret');
  const malformed = await worker.fetch(path, send('POST', registrar, '{'));
  expect(malformed.status).toBe(400);
});

it('an address that the registrar does not allow gets no new secret', async () => {
  const registrar = await addRegistrar(worker.env, { allowedIps: ['192.0.2.1'] });
  expect((await replace(registrar)).status).toBe(401);
  expect(await rowOf(registrar)).toEqual(registrar.apiUser);
});

it('a new secret replaces the password from a former registry, which works as long as an old secret', async () => {
  const passwordHash = await hashPassword('vana parool');
  const registrar = await addRegistrar(worker.env, {}, { secretDigest: null, passwordHash });
  const former = { authorization: basic(registrar.apiUser.username, 'vana parool') };
  const lost = await replaced(registrar, former);
  const caller = await replaced(registrar, former);
  await use(registrar, caller);
  expect([await statusOf(former), await statusOf(lost)]).toEqual([200, 401]);
  await setRow(registrar, { previousSecretValidUntil: hoursAgo(0) });
  expect([await statusOf(former), await statusOf(caller)]).toEqual([401, 200]);
  await replaced(registrar, caller);
  expect((await rowOf(registrar)).passwordHash).toBeNull();
});
