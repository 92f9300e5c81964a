import { expect, it, onTestFinished, vi } from 'vitest';
import { workersAddress } from '../../../../src/base/address-list.ts';
import { app } from '../../../../src/worker/http/app.ts';
import { cost, counted } from '../../../support/counted.ts';
import {
  addContact,
  addPerson,
  addRegistrar,
  addSystem,
  basic,
  send,
  unique,
} from '../../../support/fixtures.ts';
import { answerHere, startWorker } from '../../../support/worker.ts';

/** With the limits of a deployment: 10 failed logins a minute. */
const worker = startWorker({}, 'production');

const policy =
  '"caller";q=600;w=60, "address";q=1200;w=60, "failed-login";q=10;w=60, "password";q=60;w=60, "registrant-write";q=20;w=60, "system";q=6000;w=60';

/** A password of which nobody guesses anything. */
const passwordHash =
  'pbkdf2-sha256$100000$AAECAwQFBgcICQoLDA0ODw==$n7ndPI4pRDZreIx+eVpaY1DViEWyo9Ia1l8HtVGB+Dc=';

/** The refusal as everybody but registrars sees it. */
const refusal = { errors: { base: ['Too many requests, try again later'] } };

/** The answer to a registrar who reaches a limit. */
const details = {
  caller: 'The limit "caller" has been reached: 600 requests by one caller in 60 seconds.',
  address: 'The limit "address" has been reached: 1200 requests from one address in 60 seconds.',
  'failed-login':
    'The limit "failed-login" has been reached: 10 failed logins from one address in 60 seconds.',
  password:
    'The limit "password" has been reached: 60 passwords verified for one address in 60 seconds.',
  'registrant-write': undefined,
  system: undefined,
};

/** The refusal as a registrar sees it. */
function registrarRefusal(detail: string | undefined) {
  const [code, message] = [2502, 'Session limit exceeded; try again later'];
  return { code, message, data: {}, errors: [{ code, message, field: null, detail }] };
}

async function expectThrottled(
  response: Response,
  limit: keyof typeof details,
  interfaceName: 'registrar' | 'other' = 'registrar',
) {
  expect(response.status).toBe(429);
  expect(response.headers.get('Retry-After')).toBe('60');
  expect(response.headers.get('RateLimit')).toBe(`"${limit}";r=0;t=60`);
  expect(response.headers.get('RateLimit-Policy')).toBe(policy);
  expect(await response.json()).toEqual(
    interfaceName === 'registrar' ? registrarRefusal(details[limit]) : refusal,
  );
}

/** The runtime counts in whole minutes: attempts that the turn of one has cut in two are made again, by other callers. */
async function inOneMinute<Result>(attempts: () => Promise<Result>): Promise<Result> {
  const minute = () => Math.floor(Date.now() / 60_000);
  for (;;) {
    const first = minute();
    const result = await attempts();
    if (minute() === first) return result;
  }
}

function newAddress(): string {
  const n = unique();
  return `10.${n >> 8}.${n & 255}.1`;
}

it('counts a password for its address before it is verified, and names its limit', async () => {
  const slowHashes = vi.spyOn(crypto.subtle, 'deriveBits');
  onTestFinished(() => slowHashes.mockRestore());
  const { apiUser } = await addRegistrar(worker.env, {}, { secretDigest: null, passwordHash });
  const address = newAddress();
  const headers = {
    Authorization: basic(apiUser.username, 'guessed'),
    'CF-Connecting-IP': address,
  };
  const counted: object[] = [];
  const limit = async (options: { key: string }) => {
    counted.push(options);
    return { success: false };
  };
  const env = { ...worker.env, PASSWORD_LIMITER: { limit } };

  await expectThrottled(await app.request('/repp/v1/contacts', { headers }, env), 'password');
  expect(counted).toEqual([{ key: address, delta: 1 }]);
  expect(slowHashes).not.toHaveBeenCalled();
});

const login = (authorization: string, address: string) =>
  worker.fetch('/repp/v1/contacts', {
    headers: { Authorization: authorization, 'CF-Connecting-IP': address },
  });

it('failed logins are throttled by address, an IPv6 one by its /64', async () => {
  const { apiUser } = await addRegistrar(worker.env);
  const wrong = basic(apiUser.username, 'wrong');
  const answers = await inOneMinute(async () => {
    const network = `2001:db8:${unique().toString(16)}`;
    const addresses = Array.from({ length: 11 }, (_, n) => `${network}:1:${n}::${n}`);
    const answers: Response[] = [];
    for (const address of [...addresses, `${network}:2::1`]) {
      answers.push(await login(wrong, address));
    }
    return answers;
  });

  expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(401), 429, 401]);
  const [throttled] = answers.slice(10);
  expect(throttled!.headers.get('WWW-Authenticate')).toBeNull();
  await expectThrottled(throttled!, 'failed-login');
});

it('failed logins do not lock out a user who has logged in before from the address', async () => {
  const statuses = await inOneMinute(async () => {
    const alpha = await addRegistrar(worker.env);
    const beta = await addRegistrar(worker.env);
    const address = newAddress();
    const before = await login(alpha.authorization, address);
    for (let count = 0; count < 11; count++) await login(basic('any', 'any'), address);
    return {
      before: before.status,
      known: (await login(alpha.authorization, address)).status,
      unknown: (await login(beta.authorization, address)).status,
      elsewhere: (await login(beta.authorization, newAddress())).status,
    };
  });

  expect(statuses).toEqual({ before: 200, known: 200, unknown: 429, elsewhere: 200 });
});

it('failed logins cost no query once there are too many, until the window has passed', async () => {
  const bindings = counted(worker.env);
  const attempt = async (address: string, header: string) => {
    const headers = { Authorization: header, 'CF-Connecting-IP': address };
    const { status, answer } = await cost(bindings, '/repp/v1/contacts', { headers });
    return [status, answer.d1RoundTrips ?? 0];
  };
  const { authorization, address, attempts } = await inOneMinute(async () => {
    const { apiUser, authorization } = await addRegistrar(worker.env);
    const wrong = basic(apiUser.username, 'wrong');
    const address = newAddress();
    const attempts: number[][] = [];
    for (let count = 0; count < 12; count++) attempts.push(await attempt(address, wrong));
    attempts.push(await attempt(address, authorization));
    return { authorization, address, attempts };
  });

  expect(attempts).toEqual([...Array(10).fill([401, 1]), [429, 1], [429, 0], [429, 0]]);

  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
  expect(await attempt(address, authorization)).toEqual([200, 1]);
});

it('failed logins count whatever else is wrong with the request', async () => {
  const { apiUser } = await addRegistrar(worker.env);
  const wrong = { authorization: basic(apiUser.username, 'wrong') };
  const attempts: [path: string, method: string, body?: string, headers?: object][] = [
    ['', 'POST', '{'],
    ['/A:B', 'PUT', '[]'],
    ['?limit=0', 'GET'],
    ['/A/B/C', 'GET'],
    ['/A:B', 'PATCH', '{}'],
    ['', 'POST', ' '.repeat(70_000)],
    ['', 'POST', '{}', { 'Idempotency-Key': '"' }],
    ['', 'GET', undefined, { 'X-D1-Bookmark': 'forged' }],
    ['', 'GET', undefined, { 'X-Client-Transaction-Id': 'x'.repeat(65) }],
    ['?after=1', 'GET'],
    ['', 'POST', '{'],
  ];
  const statuses = await inOneMinute(async () => {
    const address = newAddress();
    const statuses: number[] = [];
    for (const [path, method, body, headers] of attempts) {
      const from = { 'CF-Connecting-IP': address, ...headers };
      const sent = send(method, wrong, body, from);
      statuses.push((await worker.fetch(`/repp/v1/contacts${path}`, sent)).status);
    }
    return statuses;
  });

  expect(statuses).toEqual([...Array(10).fill(401), 429]);
});

it('Workers of other zones, which share an address, use up the limit of their own zone only', async () => {
  const { apiUser, secret } = await addRegistrar(worker.env);
  const from = (zone: string) => ({ 'CF-Connecting-IP': workersAddress, 'CF-Worker': zone });
  const login = (secret: string, headers: Record<string, string>) => {
    const Authorization = basic(apiUser.username, secret);
    return worker.fetch('/repp/v1/registrar', { headers: { Authorization, ...headers } });
  };
  const { spent, other, claimed } = await inOneMinute(async () => {
    const zone = `${unique()}.example`;
    for (let count = 0; count < 10; count++) await login('wrong', from(zone));
    const address = newAddress();
    for (let count = 0; count < 10; count++) {
      const headers = { 'CF-Connecting-IP': address, 'CF-Worker': `${unique()}.example` };
      await login('wrong', headers);
    }
    return {
      spent: await login('wrong', from(zone)),
      other: await login(secret, from(`${unique()}.example`)),
      claimed: await login('wrong', {
        'CF-Connecting-IP': address,
        'CF-Worker': 'another.example',
      }),
    };
  });
  expect([spent.status, other.status, claimed.status]).toEqual([429, 200, 429]);
});

it('failed logins count for registrants too, in the format of their interface', async () => {
  const throttled = await inOneMinute(async () => {
    const headers = { Authorization: 'Bearer forged', 'CF-Connecting-IP': newAddress() };
    const login = () => worker.fetch('/api/v1/registrant/contacts', { headers });
    for (let count = 0; count < 10; count++) await login();
    return login();
  });

  await expectThrottled(throttled, 'failed-login', 'other');
});

it('requests without a key count as failed logins, without a query, and a key that has worked gets in', async () => {
  const bindings = counted(worker.env);
  const answers = await inOneMinute(async () => {
    const address = newAddress();
    const [known, unknown] = [
      await addSystem(worker.env, [], { allowedIps: [address] }),
      await addSystem(worker.env, [], { allowedIps: [address] }),
    ];
    const call = async (Authorization: string) => {
      const headers = { Authorization, 'CF-Connecting-IP': address };
      const path = '/api/v1/internal/names/noor.ee';
      const { status, answer } = await cost(bindings, path, { headers });
      return [status, answer.d1RoundTrips ?? 0];
    };
    const answers = [await call(known.authorization)];
    for (const _ of Array(5)) answers.push(await call(''), await call('Bearer a b'));
    answers.push(await call(''), await call(unknown.authorization));
    return [...answers, await call(known.authorization)];
  });

  const refused = [401, 0];
  expect(answers).toEqual([[200, 2], ...Array(10).fill(refused), [429, 0], [429, 0], [200, 2]]);
});

it('the writes of a registrant are limited to twenty a minute, however the code is spelt, while reading goes on', async () => {
  const registrar = await addRegistrar(worker.env);
  const { statuses, throttled, read } = await inOneMinute(async () => {
    const n = unique();
    const ident = { ident: `AB-${n}`, identCountryCode: 'FI' };
    const { uuid } = await addContact(worker.env, registrar, ident);
    const persons = [
      await addPerson(worker.env, { countryCode: 'FI', code: `AB-${n}` }),
      await addPerson(worker.env, { countryCode: 'FI', code: `ab${n}` }),
    ];
    const path = `/api/v1/registrant/contacts/${uuid}`;
    const write = (count: number) =>
      worker.fetch(path, send('PATCH', persons[count % 2]!, { name: `Name ${count}` }));
    const statuses: number[] = [];
    for (let count = 0; count < 20; count++) statuses.push((await write(count)).status);
    const throttled = await write(20);
    return { statuses, throttled, read: await worker.fetch(path, send('GET', persons[0]!)) };
  });

  await expectThrottled(throttled, 'registrant-write', 'other');
  expect(statuses).toEqual(Array(20).fill(200));
  expect(read.status).toBe(200);
});

it('an exceeded limit stops an address, or an API user', async () => {
  const headers = { 'CF-Connecting-IP': '127.0.0.1', Authorization: await registrar() };
  for (const [limiter, limit] of [
    ['ADDRESS_LIMITER', 'address'],
    ['CALLER_LIMITER', 'caller'],
  ] as const) {
    const env = { ...worker.env, [limiter]: { limit: async () => ({ success: false }) } };
    await expectThrottled(await app.request('/repp/v1/contacts', { headers }, env), limit);
  }
});

const registrar = async () => (await addRegistrar(worker.env)).authorization;
const nobody = async () => '';

it.each([
  ['/repp/v1/contacts', 200, registrar],
  ['/repp/v1/contacts', 401, nobody],
])('RateLimit-Policy is named where %s answers %i', async (path, status, caller) => {
  const response = await worker.fetch(path, { headers: { Authorization: await caller() } });

  expect(response.status).toBe(status);
  expect(response.headers.get('RateLimit-Policy')).toBe(policy);
});

it.each([
  ['production', 429],
  ['local', 401],
])('a policy of a million in environment %s: a limiter that refuses gives %i', async (...row) => {
  const [ENVIRONMENT, status] = row;
  const env = {
    ...worker.env,
    ENVIRONMENT,
    RATE_LIMIT_POLICY: policy.replaceAll(/q=\d+/g, 'q=1000000'),
    REGISTRANT_TOKEN_KEYS: `id:${'0'.repeat(64)}`,
    ADDRESS_LIMITER: { limit: async () => ({ success: false }) },
  };
  expect((await answerHere('/repp/v1/contacts', {}, env)).status).toBe(status);
});
