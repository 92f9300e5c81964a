import { expect, it, vi } from 'vitest';
import { type Env, settings } from '../../src/env.ts';
import type { LoginRefusal } from '../../src/error.ts';
import { app } from '../../src/http/app.ts';
import { issueToken, type TokenKey } from '../../src/registrant/token.ts';
import { authenticate, findRefusals, loginOf } from '../../src/registrar/login.ts';
import { hashPassword } from '../../src/registrar/password.ts';
import { addRegistrar, addSystem, basic } from '../support/fixtures.ts';
import { shareWorker } from '../support/worker.ts';

const worker = shareWorker();
const address = '192.0.2.7';

type Headers = Record<string, string>;

/** Sends the request, and returns its line in the log once what goes on after the answer is done. */
async function lineOf(path: string, headers: Headers, method = 'GET', env = worker.env) {
  const logged = vi.spyOn(console, 'info').mockReturnValue();
  const later: Promise<unknown>[] = [];
  const context = { waitUntil: (work: Promise<unknown>) => later.push(work) };
  const response = await app.request(
    path,
    { method, headers: { 'CF-Connecting-IP': address, ...headers } },
    env,
    context as unknown as ExecutionContext,
  );
  await Promise.all(later);
  const lines = logged.mock.calls.map(([line]) => JSON.parse(String(line)));
  logged.mockRestore();
  expect(lines).toHaveLength(1);
  expect(lines[0].status).toBe(response.status);
  return lines[0];
}

const authorized = (authorization: string): Headers => ({ Authorization: authorization });

const registrars: [refusal: LoginRefusal, headers: () => Promise<Headers>][] = [
  ['no credentials', async () => ({})],
  ['no credentials', async () => authorized('Basic ***')],
  ['unknown user', async () => authorized(basic('stranger', 'secret'))],
  [
    'wrong secret',
    async () => authorized(basic((await addRegistrar(worker.env)).apiUser.username, 'guessed')),
  ],
  [
    'disabled',
    async () => {
      const disabledAt = '2026-01-02T03:04:05.678Z';
      return authorized((await addRegistrar(worker.env, {}, { disabledAt })).authorization);
    },
  ],
  [
    'suspended',
    async () => {
      const suspendedAt = '2026-01-02T03:04:05.678Z';
      return authorized((await addRegistrar(worker.env, { suspendedAt })).authorization);
    },
  ],
  [
    'address',
    async () =>
      authorized((await addRegistrar(worker.env, { allowedIps: ['203.0.113.1'] })).authorization),
  ],
];

it.each(registrars)('logs why a registrar is refused: %s', async (refusal, headersOf) => {
  const headers = await headersOf();
  expect(await lineOf('/repp/v1/contacts', headers)).toMatchObject({ status: 401, refusal });
  // Refused before any query, and by the path.
  expect(await lineOf('/repp/v1/contacts?limit=0', headers)).toMatchObject({ refusal });
  expect(await lineOf('/repp/v1/contacts/A:B/x', headers)).toMatchObject({ refusal });
});

it('logs nothing of a refusal where a login succeeds', async () => {
  const { authorization } = await addRegistrar(worker.env);
  expect(await lineOf('/repp/v1/contacts', authorized(authorization))).not.toHaveProperty(
    'refusal',
  );
});

it.each([
  ['no credentials', async () => ''],
  ['wrong secret', async () => 'Bearer wrong'],
  [
    'disabled',
    async () =>
      (await addSystem(worker.env, [], { disabledAt: '2026-01-02T03:04:05.678Z' })).authorization,
  ],
  ['address', async () => (await addSystem(worker.env)).authorization],
] as [LoginRefusal, () => Promise<string>][])(
  'logs why a system is refused: %s',
  async (refusal, authorizationOf) => {
    const headers = authorized(await authorizationOf());
    expect(await lineOf('/api/v1/internal/names/noor.ee', headers)).toMatchObject({
      system: null,
      refusal,
    });
  },
);

it('logs why a system may not act for a registrar', async () => {
  const suspended = await addRegistrar(worker.env, { suspendedAt: '2026-01-02T03:04:05.678Z' });
  const system = await addSystem(worker.env, ['act-for'], { allowedIps: [address] });
  const line = (code: string) =>
    lineOf('/repp/v1/contacts', { ...authorized(system.authorization), 'Acting-For': code });
  expect(await line('NOBODY')).toMatchObject({ system: system.name, refusal: 'unknown registrar' });
  expect(await line(suspended.code)).toMatchObject({ system: system.name, refusal: 'suspended' });
});

it('logs the name of the system that called', async () => {
  const { name, authorization } = await addSystem(worker.env, [], { allowedIps: [address] });
  expect(await lineOf('/api/v1/internal/names/noor.ee', authorized(authorization))).toMatchObject({
    system: name,
    registrar: null,
  });
});

const tokenFor = async (keys: readonly [TokenKey, ...TokenKey[]], at = new Date()) =>
  `Bearer ${(await issueToken(keys, person, at)).token}`;
const ownKeys = () => settings(worker.env).REGISTRANT_TOKEN_KEYS;
const secret = new TextEncoder().encode('x'.repeat(64));
const person = { countryCode: 'EE', code: '38001085718', firstName: 'Jaan', lastName: 'Tamm' };

it.each([
  ['no credentials', async () => ''],
  ['malformed token', async () => 'Bearer abc'],
  ['unknown key', () => tokenFor([{ id: 'removed', secret }])],
  ['wrong signature', () => tokenFor([{ id: ownKeys()[0].id, secret }])],
  ['expired token', () => tokenFor(ownKeys(), new Date('2026-01-01T00:00:00Z'))],
  ['wrong claims', () => tokenFor(ownKeys(), new Date('2999-01-01T00:00:00Z'))],
] as [LoginRefusal, () => Promise<string>][])(
  'logs why a registrant’s token is refused: %s',
  async (refusal, authorizationOf) => {
    const headers = authorized(await authorizationOf());
    expect(await lineOf('/api/v1/registrant/contacts', headers)).toMatchObject({ refusal });
  },
);

it.each([
  ['/api/v1/auctions/x', 'GET'],
  ['/api/v1/registrant/auth/eid', 'POST'],
])('logs that the address is refused at %s', async (path, method) => {
  expect(await lineOf(path, {}, method)).toMatchObject({ status: 401, refusal: 'address' });
});

it('logs that a page of another site is refused a token', async () => {
  const headers = { 'CF-Connecting-IP': '127.0.0.1', 'Sec-Fetch-Site': 'cross-site' };
  const line = await lineOf('/api/v1/registrant/auth/eid', headers, 'POST');
  expect(line).toMatchObject({ status: 401, refusal: 'another site' });
});

it('still logs the request when the reason cannot be read', async () => {
  const { apiUser } = await addRegistrar(worker.env);
  // The login is a batch; the look at the reason is not.
  const prepare = (query: string) => {
    const statement = worker.env.DB.prepare(query);
    if (!query.includes('as secret,')) return statement;
    return { bind: () => ({ all: () => Promise.reject(new Error('D1_ERROR: overloaded')) }) };
  };
  const env = { ...worker.env, DB: { ...worker.env.DB, prepare } } as unknown as Env;
  const headers = authorized(basic(apiUser.username, 'guessed'));
  expect(await lineOf('/repp/v1/contacts', headers, 'GET', env)).toMatchObject({
    status: 401,
    refusal: null,
  });
});

it('finds a reason for exactly the logins that are refused', async () => {
  const allowedIps = ['192.0.2.0/24'];
  const since = '2026-01-02T03:04:05.678Z';
  const states = [
    { disabledAt: null, suspendedAt: null },
    { disabledAt: since, suspendedAt: null },
    { disabledAt: null, suspendedAt: since },
  ];
  for (const { disabledAt, suspendedAt } of states) {
    const account = { allowedIps, suspendedAt };
    const { apiUser, secret } = await addRegistrar(worker.env, account, { disabledAt });
    const passwordHash = await hashPassword(secret);
    const old = { disabledAt, secretDigest: null, passwordHash };
    const former = (await addRegistrar(worker.env, account, old)).apiUser.username;
    for (const username of [apiUser.username, apiUser.username.toUpperCase(), former]) {
      for (const each of [secret, 'guessed']) {
        for (const from of [address, '198.51.100.1', undefined]) {
          const login = await loginOf(username, each, from, new Date());
          const isLetIn = await authenticate(worker.db, login).then(
            () => true,
            () => false,
          );
          expect((await findRefusals(worker.db, login)).length === 0).toBe(isLetIn);
        }
      }
    }
  }
});
