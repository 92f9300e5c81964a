import { expect, it, vi } from 'vitest';
import type { Env } from '../../../src/base/env.ts';
import type { LoginRefusal } from '../../../src/base/error.ts';
import { issueToken, type TokenKey } from '../../../src/party/registrant/token.ts';
import { authenticate, findRefusals, loginOf } from '../../../src/party/registrar/login.ts';
import { hashPassword } from '../../../src/party/registrar/operator/password.ts';
import { settings } from '../../../src/worker/settings.ts';
import { addRegistrar, addSystem, basic } from '../../support/fixtures.ts';
import { answerHere, shareWorker } from '../../support/worker.ts';

const worker = shareWorker();
const address = '192.0.2.7';

type Headers = Record<string, string>;

/** The answer to the request, and its line in the log once what goes on after the answer is done. */
async function answered(path: string, headers: Headers, method = 'GET', env = worker.env) {
  const logged = vi.spyOn(console, 'info').mockReturnValue();
  const sent = { method, headers: { 'CF-Connecting-IP': address, ...headers } };
  const response = await answerHere(path, sent, env);
  const lines = logged.mock.calls.map(([line]) => JSON.parse(String(line)));
  logged.mockRestore();
  expect(lines).toHaveLength(1);
  expect(lines[0].status).toBe(response.status);
  const challenge = response.headers.get('WWW-Authenticate');
  return { line: lines[0], challenge, body: await response.json() };
}

const lineOf = async (...request: Parameters<typeof answered>) => (await answered(...request)).line;

const authorized = (authorization: string): Headers => ({ Authorization: authorization });
const since = '2026-01-02T03:04:05.678Z';

/** The credentials of a user, of whom `change` makes others. */
const user = async (
  values: Parameters<typeof addRegistrar>[1] = {},
  change = (username: string, secret: string) => basic(username, secret),
  disabledAt: string | null = null,
) => {
  const { apiUser, secret } = await addRegistrar(worker.env, values, { disabledAt });
  return change(apiUser.username, secret);
};
const guessing = (username: string) => basic(username, 'guessed');

const registrars: [refusal: LoginRefusal, of: string, authorization: () => Promise<string>][] = [
  ['no credentials', 'an empty header', async () => ''],
  ['no credentials', 'another scheme', async () => 'Digest abc'],
  ['no credentials', 'a malformed key', async () => 'Bearer ä'],
  ['wrong secret', 'the key of no system', async () => 'Bearer abc'],
  ['no credentials', 'no ASCII', async () => 'Basic õ-_'],
  ['no credentials', 'no colon', async () => `Basic ${btoa('user')}`],
  ['unknown user', 'a stranger', async () => basic('stranger', 'secret')],
  ['unknown user', 'capitals', () => user({}, (name, secret) => basic(name.toUpperCase(), secret))],
  ['wrong secret', 'no secret', () => user({}, (name) => basic(name, ''))],
  ['wrong secret', 'a guess', () => user({}, guessing)],
  ['wrong secret', 'another address', () => user({ allowedIps: ['203.0.113.1'] }, guessing)],
  ['wrong secret', 'a suspended registrar', () => user({ suspendedAt: since }, guessing)],
  ['suspended', 'the right secret', () => user({ suspendedAt: since })],
  ['disabled', 'the right secret', () => user({}, basic, since)],
];

const message = 'Invalid authorization information';
const unauthorized = {
  challenge: 'Basic realm="REPP", charset="UTF-8"',
  body: { code: 2202, message, data: {}, errors: [{ code: 2202, message, field: null }] },
};

it.each(registrars)(
  'refuses a registrar in the same words, and logs why: %s, %s',
  async (refusal, _, authorizationOf) => {
    const headers = authorized(await authorizationOf());
    const { line, ...answer } = await answered('/repp/v1/contacts', headers);
    expect(line).toMatchObject({ status: 401, refusal });
    expect(answer).toEqual(unauthorized);
  },
);

it.each(['?limit=0', '/A:B/x'])(
  'logs why a registrar is refused whose request %s is refused before any query',
  async (path) => {
    const headers = authorized(await user({}, guessing));
    expect(await lineOf(`/repp/v1/contacts${path}`, headers)).toMatchObject({
      status: 401,
      refusal: 'wrong secret',
    });
  },
);

it('logs that the address of a registrar is not on its list', async () => {
  const headers = authorized(await user({ allowedIps: ['203.0.113.1'] }));
  expect(await lineOf('/repp/v1/contacts', headers)).toMatchObject({ refusal: 'address' });
});

it('logs nothing of a refusal where a login succeeds', async () => {
  const { authorization } = await addRegistrar(worker.env);
  expect(await lineOf('/repp/v1/contacts', authorized(authorization))).not.toHaveProperty(
    'refusal',
  );
});

const systems: [LoginRefusal, () => Promise<{ authorization: string }>][] = [
  ['no credentials', async () => ({ authorization: '' })],
  ['wrong secret', async () => ({ authorization: 'Bearer wrong' })],
  ['disabled', () => addSystem(worker.env, ['act-for'], { disabledAt: since })],
  ['address', () => addSystem(worker.env, ['act-for'])],
  ['address', () => addSystem(worker.env, ['act-for'], { allowedIps: [] })],
];

it.each(systems)(
  'refuses a system in the same words, also if it acts for a registrar, and logs why: %s',
  async (refusal, add) => {
    const headers = authorized((await add()).authorization);
    const { line, ...answer } = await answered('/api/v1/internal/names/noor.ee', headers);
    expect(line).toMatchObject({ status: 401, system: null, refusal });
    expect(answer).toEqual({
      challenge: 'Bearer realm="internal"',
      body: { errors: { base: ['Not authorized'] } },
    });
    const { code } = await addRegistrar(worker.env);
    for (const own of [{ 'Acting-For': code }, {}] as Headers[]) {
      const { line, ...acting } = await answered('/repp/v1/contacts', { ...headers, ...own });
      expect(line).toMatchObject({ status: 401, refusal });
      expect(acting).toEqual(unauthorized);
    }
  },
);

it.each<[string, Headers]>([
  ['without the header', {}],
  ['with an empty header', { 'Acting-For': '' }],
])(
  'tells a system with the right key that names no registrar what is missing, and logs why: %s',
  async (_, acting) => {
    const system = await addSystem(worker.env, ['act-for'], { allowedIps: [address] });
    const headers = { ...authorized(system.authorization), ...acting };
    const { line, ...answer } = await answered('/repp/v1/contacts', headers);
    expect(line).toMatchObject({ status: 401, refusal: 'no registrar', system: system.name });
    const detail =
      'The key is right, but the header Acting-For is missing; it names the registrar that the system acts for.';
    expect(answer).toEqual({
      challenge: 'Bearer realm="REPP"',
      body: { ...unauthorized.body, errors: [{ code: 2202, message, field: null, detail }] },
    });
  },
);

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
          const login = await loginOf(username, each, new Date(), { address: from });
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
