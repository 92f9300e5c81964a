import { expect, it } from 'vitest';
import { issueToken, type Person } from '../../../../src/party/registrant/token.ts';
import { rateLimits, settings } from '../../../../src/worker/settings.ts';
import { addPerson, send } from '../../../support/fixtures.ts';
import { answerHere, shareWorker } from '../../../support/worker.ts';

const worker = shareWorker();

const contacts = '/api/v1/registrant/contacts';
const auth = '/api/v1/registrant/auth/eid';
const refusal = { errors: { base: ['Too many requests, try again later'] } };

/** A portal at 192.0.2.7, and limiters that admit each key so many times and remember whom they have counted. */
function portal(requests: Partial<Record<(typeof rateLimits)[number], number>>) {
  const counted: string[] = [];
  const limiterOf = (name: (typeof rateLimits)[number]) => ({
    async limit({ key }: { key: string }) {
      counted.push(`${name} ${key}`);
      const times = counted.filter((each) => each === `${name} ${key}`).length;
      return { success: times <= (requests[name] ?? Number.POSITIVE_INFINITY) };
    },
  });
  const env = {
    ...worker.env,
    REGISTRANT_AUTH_ALLOWED_IPS: '192.0.2.7',
    RATE_LIMIT_POLICY: rateLimits.map((name) => `"${name}";q=9;w=60`).join(', '),
    CALLER_LIMITER: limiterOf('caller'),
    ADDRESS_LIMITER: limiterOf('address'),
    FAILED_LOGIN_LIMITER: limiterOf('failed-login'),
    PASSWORD_LIMITER: limiterOf('password'),
    REGISTRANT_WRITE_LIMITER: limiterOf('registrant-write'),
  };
  const ask = (path: string, init: RequestInit, address = '192.0.2.7') =>
    answerHere(
      path,
      { ...init, headers: { ...(init.headers as object), 'CF-Connecting-IP': address } },
      env,
    );
  const statuses = async (times: number, ...asked: Parameters<typeof ask>) => {
    const found: number[] = [];
    for (let count = 0; count < times; count++) found.push((await ask(...asked)).status);
    return found;
  };
  return { counted, ask, statuses };
}

const forged = send('GET', { authorization: 'Bearer forged' });

async function expired(person: Person) {
  const [then, keys] = [
    new Date(Date.now() - 7_201_000),
    settings(worker.env).REGISTRANT_TOKEN_KEYS,
  ];
  const { token } = await issueToken(keys, person, then);
  return send('GET', { authorization: `Bearer ${token}` });
}

const requestFor = (ident: string) =>
  send('POST', { authorization: '' }, { ident, first_name: 'Mari', last_name: 'Maasikas' });

it('any number of bad tokens behind the portal’s address leaves everybody their 401', async () => {
  const { statuses } = portal({ 'failed-login': 2 });
  expect(await statuses(5, contacts, forged)).toEqual(Array(5).fill(401));
  expect(await statuses(1, contacts, await expired(await addPerson(worker.env)))).toEqual([401]);
});

it('two busy people behind the portal’s address use up nobody else’s limit', async () => {
  const { statuses, ask } = portal({ caller: 3, address: 1 });
  const [busy, busier, third] = [
    await addPerson(worker.env),
    await addPerson(worker.env),
    await addPerson(worker.env),
  ];
  for (const person of [busy, busier]) {
    expect(await statuses(4, contacts, send('GET', person))).toEqual([200, 200, 200, 429]);
  }
  expect((await ask(contacts, send('GET', third))).status).toBe(200);
});

it('forged tokens behind the portal’s address are limited by address, and stop neither a genuine one nor the 401 of an expired one', async () => {
  const { statuses, ask } = portal({ address: 2 });
  expect(await statuses(3, contacts, forged)).toEqual([401, 401, 429]);
  const refused = await ask(contacts, forged);
  expect([refused.headers.get('Retry-After'), await refused.json()]).toEqual(['60', refusal]);
  expect(await statuses(2, contacts, send('GET', await addPerson(worker.env)))).toEqual([200, 200]);
  expect(await statuses(2, contacts, await expired(await addPerson(worker.env)))).toEqual([
    401, 401,
  ]);
  // Whatever else is wrong with it.
  expect(await statuses(1, `${contacts}/x/y/z`, send('POST', { authorization: '' }, '{'))).toEqual([
    429,
  ]);
});

it('expired tokens behind the portal’s address count for their person, apart from the tokens in force', async () => {
  const { statuses } = portal({ caller: 2 });
  const person = await addPerson(worker.env);
  expect(await statuses(3, contacts, await expired(person))).toEqual([401, 401, 429]);
  expect(await statuses(2, contacts, send('GET', person))).toEqual([200, 200]);
});

it('requests for tokens are limited by person, and all of them by address', async () => {
  const { statuses } = portal({ 'registrant-write': 2, address: 3 });
  expect(await statuses(5, auth, requestFor('48001084719'))).toEqual([200, 200, 429, 429, 429]);
  expect(await statuses(2, auth, requestFor('38001085718'))).toEqual([200, 429]);
  // Requests that name nobody are counted apart.
  expect(await statuses(4, auth, send('POST', { authorization: '' }, '{'))).toEqual([
    400, 400, 400, 429,
  ]);
});

it('a page of another site, in a browser behind the portal’s address, gets no token and uses up none of the portal’s', async () => {
  const { statuses, counted } = portal({ 'registrant-write': 1 });
  const asked = requestFor('48001084719');
  // Bytes have no Content-Type, so the browser asks nobody whether it may send them.
  const body = new TextEncoder().encode(asked.body);
  const ofPage = { method: 'POST', headers: { 'Sec-Fetch-Site': 'cross-site' }, body };
  expect(await statuses(3, auth, ofPage)).toEqual([401, 401, 401]);
  expect(counted).toEqual(Array(3).fill('address 192.0.2.7'));
  expect(await statuses(1, auth, asked)).toEqual([200]);
});

it('no limiter learns an identity code', async () => {
  const { counted, ask } = portal({});
  const person = await addPerson(worker.env);
  await ask(contacts, send('GET', person));
  await ask(auth, requestFor(person.code));
  expect(counted.length).toBe(3);
  expect(counted.join()).not.toContain(person.code);
});

it('requests and bad tokens from any other address count by address', async () => {
  const { statuses, counted } = portal({ 'failed-login': 2, address: 4 });
  expect(await statuses(3, contacts, forged, '198.51.100.1')).toEqual([401, 401, 429]);
  expect(await statuses(2, auth, requestFor('48001084719'), '198.51.100.1')).toEqual([401, 429]);
  expect(new Set(counted)).toEqual(new Set(['address 198.51.100.1', 'failed-login 198.51.100.1']));
});
