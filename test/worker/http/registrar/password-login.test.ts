import { eq, sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { apiUsers, history } from '../../../../drizzle/schema.ts';
import { rotateHolder } from '../../../../src/party/credential/operator/holder.ts';
import { authenticate, loginOf } from '../../../../src/party/registrar/login.ts';
import { hashPassword } from '../../../../src/party/registrar/operator/password.ts';
import { cost, counted } from '../../../support/counted.ts';
import { addRegistrar, basic, newContact, operator, send } from '../../../support/fixtures.ts';
import { shareWorker } from '../../../support/worker.ts';

const worker = shareWorker();
const list = '/repp/v1/contacts';

let slowHashes: ReturnType<typeof vi.spyOn>;
beforeEach(() => {
  slowHashes = vi.spyOn(crypto.subtle, 'deriveBits');
});
afterEach(() => slowHashes.mockRestore());

/** A registrar whose user has the password of a former registry. */
async function addFormer(password: string, user: Partial<typeof apiUsers.$inferInsert> = {}) {
  const passwordHash = await hashPassword(password);
  const registrar = await addRegistrar(
    worker.env,
    {},
    { ...user, secretDigest: null, passwordHash },
  );
  slowHashes.mockClear();
  const authorization = basic(registrar.apiUser.username, password);
  const change = (values: Partial<typeof apiUsers.$inferInsert>) =>
    worker.db.update(apiUsers).set(values).where(eq(apiUsers.id, registrar.apiUser.id));
  return { ...registrar, authorization, change };
}

const rotate = (key: string) =>
  rotateHolder({ db: worker.db, origin: operator }, { type: 'api_user', key }, { atOnce: true });

const statusOf = async (authorization: string) =>
  (await worker.fetch(list, send('GET', { authorization }))).status;

test('a password from a former registry logs in, to read and to write', async () => {
  const registrar = await addFormer('vana parool');
  expect(await statusOf(registrar.authorization)).toBe(200);
  const created = await worker.fetch(list, send('POST', registrar, { contact: newContact() }));
  expect(created.status).toBe(200);
});

test('a password costs the slow hash and another round trip once, and then what a secret costs', async () => {
  const bindings = counted(worker.env);
  const registrar = await addFormer('vana parool');
  const costOfList = () => cost(bindings, list, send('GET', registrar));
  expect((await costOfList()).answer).toMatchObject({ d1RoundTrips: 2 });
  const withSecret = await cost(bindings, list, send('GET', await addRegistrar(worker.env)));
  expect(await costOfList()).toEqual(withSecret);
  expect(slowHashes).toHaveBeenCalledTimes(1);
});

test('a wrong password, an unknown user and a wrong secret each wait for one slow hash', async () => {
  const { apiUser } = await addFormer('vana parool');
  const other = await addRegistrar(worker.env);
  for (const username of [apiUser.username, 'nobody', other.apiUser.username]) {
    slowHashes.mockClear();
    const login = await loginOf(username, 'guessed', new Date());
    await expect(authenticate(worker.db, login)).rejects.toMatchObject({ reason: 'unauthorized' });
    expect([username, slowHashes.mock.calls.length]).toEqual([username, 1]);
  }
});

test("lets nobody in with another user's password", async () => {
  await addFormer('sama parool');
  const other = await addFormer('teine parool');
  for (const username of ['nobody', other.apiUser.username]) {
    expect(await statusOf(basic(username, 'sama parool'))).toBe(401);
  }
});

test("verifies an unknown user's password against another's hash each time, and remembers nothing", async () => {
  await worker.db.update(apiUsers).set({
    passwordHash: null,
    secretDigest: sql`printf('%064x', id)`,
    previousSecretDigest: null,
    previousSecretChangedAt: null,
    previousSecretValidUntil: null,
  });
  await addFormer('vana parool');
  const bindings = counted(worker.env);
  const guess = () =>
    cost(bindings, list, send('GET', { authorization: basic('nobody', 'vana parool') }));
  for (const _ of [1, 2]) expect((await guess()).answer).toMatchObject({ d1RoundTrips: 1 });
  expect(slowHashes).toHaveBeenCalledTimes(2);
});

test('lets two users have the same password', async () => {
  for (const { authorization } of [await addFormer('sama'), await addFormer('sama')]) {
    expect(await statusOf(authorization)).toBe(200);
  }
});

test('refuses a disabled user from the next request, with a password or a secret', async () => {
  for (const add of [() => addFormer('vana parool'), () => addRegistrar(worker.env)]) {
    const { apiUser, authorization } = await add();
    const statuses: number[] = [];
    for (const disabledAt of [null, '2026-01-02T03:04:05.678Z', null]) {
      const isUser = eq(apiUsers.id, apiUser.id);
      await worker.db.update(apiUsers).set({ disabledAt }).where(isUser);
      statuses.push(await statusOf(authorization));
    }
    expect(statuses).toEqual([200, 401, 200]);
  }
});

test('refuses the old password from the request after a new one', async () => {
  const { apiUser, authorization, change } = await addFormer('vana parool');
  expect(await statusOf(authorization)).toBe(200);
  await change({ passwordHash: await hashPassword('uus parool') });
  expect(await statusOf(authorization)).toBe(401);
  expect(await statusOf(basic(apiUser.username, 'uus parool'))).toBe(200);
});

test('a login whose password is remembered is judged by the stored hash alone', async () => {
  const { id: registrarId, apiUser } = await addFormer('vana parool');
  await authenticate(worker.db, await loginOf(apiUser.username, 'vana parool', new Date()));
  slowHashes.mockClear();
  const again = await loginOf(apiUser.username, 'vana parool', new Date());
  expect(await authenticate(worker.db, again)).toMatchObject({ registrarId });
  expect(slowHashes).not.toHaveBeenCalled();
});

test('a rotation replaces the password by a secret, and its history says so, the first time', async () => {
  const { apiUser, authorization } = await addFormer('vana parool');
  expect(await statusOf(authorization)).toBe(200);
  const secret = await rotate(apiUser.username);
  expect(await statusOf(authorization)).toBe(401);
  expect(await statusOf(basic(apiUser.username, secret!))).toBe(200);
  await rotate(apiUser.username);
  const entries = await worker.db
    .select({ changes: history.changes })
    .from(history)
    .where(eq(history.subjectKey, apiUser.username))
    .orderBy(history.id);
  const secretDigest = { redacted: true };
  expect(entries).toEqual([
    {
      changes: {
        secretDigest,
        secretChangedAt: { from: apiUser.secretChangedAt, to: operator.request.at.toISOString() },
        passwordHash: { redacted: true },
      },
    },
    { changes: { secretDigest } },
  ]);
});
