import { expect, test } from 'vitest';
import { digestSecret } from '../../src/credential/secret.ts';
import { addRegistrar, basic, send } from '../support/fixtures.ts';
import { shareWorker } from '../support/worker.ts';

const worker = shareWorker();

const unauthorized = {
  code: 2202,
  message: 'Invalid authorization information',
  data: {},
  errors: [{ code: 2202, message: 'Invalid authorization information', field: null }],
};

async function answer(headers: Record<string, string>, path = '/repp/v1/contacts') {
  const response = await worker.fetch(path, { headers });
  return {
    status: response.status,
    challenge: response.headers.get('WWW-Authenticate'),
    body: await response.json(),
  };
}

const refused = {
  status: 401,
  challenge: 'Basic realm="REPP", charset="UTF-8"',
  body: unauthorized,
};
const empty = {
  status: 200,
  challenge: null,
  body: { contacts: [], total_number_of_records: 0 },
};

test.each([
  ['none', {}],
  ['an empty one', { Authorization: '' }],
  ['no credentials', { Authorization: 'Basic' }],
  ['another scheme', { Authorization: 'Bearer abc' }],
  ['no base64', { Authorization: 'Basic ***' }],
  ['no colon', { Authorization: `Basic ${Buffer.from('user').toString('base64')}` }],
  ['nobody', { Authorization: basic('', '') }],
])('asks for credentials if the header is %s', async (_, headers) => {
  expect(await answer(headers as Record<string, string>)).toEqual(refused);
});

test('answers an unknown user, a wrong secret, a disabled user and a suspended registrar alike', async () => {
  const { apiUser, secret } = await addRegistrar(worker.env);
  const disabled = await addRegistrar(worker.env, {}, { disabledAt: '2026-01-02T03:04:05.678Z' });
  const suspended = await addRegistrar(worker.env, { suspendedAt: '2026-01-02T03:04:05.678Z' });
  const attempts = [
    basic(`${apiUser.username}x`, secret),
    basic(apiUser.username, `${secret}x`),
    basic(apiUser.username, ''),
    basic(apiUser.username.toUpperCase(), secret),
    basic(disabled.apiUser.username, secret),
    disabled.authorization,
    basic(suspended.apiUser.username, `${suspended.secret}x`),
    suspended.authorization,
  ];
  for (const authorization of attempts) {
    expect(await answer({ Authorization: authorization })).toEqual(refused);
  }
});

test('refuses a user at the first request after they are disabled', async () => {
  const { apiUser, authorization } = await addRegistrar(worker.env);
  expect(await answer({ Authorization: authorization })).toEqual(empty);
  await worker.env.DB.prepare('update api_users set disabled_at = updated_at where id = ?')
    .bind(apiUser.id)
    .run();
  expect(await answer({ Authorization: authorization })).toEqual(refused);
});

test.each([
  ['GET', '/repp/v1/contacts/NO:SUCH'],
  ['GET', '/repp/v1/contacts/check/x'],
  ['GET', '/repp/v1/contacts?limit=0'],
  ['GET', '/repp/v1/contacts/check/%20'],
  ['POST', '/repp/v1/contacts'],
  ['PUT', '/repp/v1/contacts/NO:SUCH'],
  ['DELETE', '/repp/v1/contacts/NO:SUCH'],
])('tells a stranger nothing at %s %s, valid or not', async (method, path) => {
  const stranger = { authorization: basic('stranger', 'secret') };
  for (const body of method === 'GET' ? [undefined] : ['{"contact":{"name":""}}', '{', '[]']) {
    const response = await worker.fetch(path, send(method, stranger, body));
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual(unauthorized);
  }
});

test('echoes no credential', async () => {
  const { apiUser } = await addRegistrar(worker.env);
  const authorization = basic(apiUser.username, 'guessed-secret');
  const response = await worker.fetch('/repp/v1/contacts', {
    headers: { Authorization: authorization },
  });
  const told = (await response.text()) + JSON.stringify([...response.headers]);
  for (const part of [apiUser.username, 'guessed-secret', authorization.slice('Basic '.length)]) {
    expect(told).not.toContain(part);
  }
});

test.each([
  ['with colons', 'a:b::c:'],
  ['in UTF-8', 'pässwörd-õ😀'],
  ['with spaces', ' open sesame '],
])('accepts a secret %s', async (_, secret) => {
  const { apiUser } = await addRegistrar(
    worker.env,
    {},
    { secretDigest: await digestSecret(secret) },
  );
  expect(await answer({ Authorization: basic(apiUser.username, secret) })).toEqual(empty);
});

test('accepts a username in UTF-8', async () => {
  const { secret } = await addRegistrar(worker.env, {}, { username: 'jüri.õunapuu' });
  expect(await answer({ Authorization: basic('jüri.õunapuu', secret) })).toEqual(empty);
});

test('accepts the scheme in any case, and several spaces after it', async () => {
  const { authorization } = await addRegistrar(worker.env);
  const credentials = authorization.slice('Basic '.length);
  expect(await answer({ Authorization: `bASIC   ${credentials}` })).toEqual(empty);
});

test('accepts credentials in the alphabet of base64 for URLs, with and without padding', async () => {
  const secret = '??>>~~~';
  const user = { username: 'portal', secretDigest: await digestSecret(secret) };
  await addRegistrar(worker.env, {}, user);
  const standard = basic('portal', secret).slice('Basic '.length);
  const urlSafe = standard.replaceAll('+', '-').replaceAll('/', '_');
  expect(urlSafe).toMatch(/-.*_|_.*-/);
  for (const credentials of [urlSafe, urlSafe.replace(/=+$/, '')]) {
    expect(await answer({ Authorization: `Basic ${credentials}` })).toEqual(empty);
  }
});

test('asks for credentials if the header is not ASCII', async () => {
  expect(await answer({ Authorization: 'Basic õ-_' })).toEqual(refused);
});

test('admits several users of one registrar', async () => {
  const { id, authorization } = await addRegistrar(worker.env);
  const timestamp = '2026-01-02T03:04:05.678Z';
  await worker.env.DB.prepare(
    `insert into api_users (registrar_id, username, secret_digest, secret_changed_at, created_at, updated_at)
     values (?1, 'second', ?2, ?3, ?3, ?3)`,
  )
    .bind(id, await digestSecret('second secret'), timestamp)
    .run();
  expect(await answer({ Authorization: authorization })).toEqual(empty);
  expect(await answer({ Authorization: basic('second', 'second secret') })).toEqual(empty);
});

const denied = (address: string) => {
  const message = `Access denied from IP ${address}`;
  return {
    status: 401,
    challenge: 'Basic realm="REPP", charset="UTF-8"',
    body: { code: 2202, message, data: {}, errors: [{ code: 2202, message, field: null }] },
  };
};

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['192.0.2.0/24', '192.0.2.255'],
  ['192.0.2.0/24', '::ffff:192.0.2.9'],
  ['2001:db8::/32', '2001:DB8:0:0::1'],
  ['2001:db8::1', '2001:db8::1'],
])("lets a registrar's allow-list with %s admit %s", async (entry, address) => {
  const { authorization } = await addRegistrar(worker.env, { allowedIps: ['203.0.113.1', entry] });
  const headers = { Authorization: authorization, 'CF-Connecting-IP': address };
  expect(await answer(headers)).toEqual(empty);
});

test.each([
  ['192.0.2.7', '192.0.2.8'],
  ['192.0.2.0/24', '192.0.3.0'],
  ['192.0.2.0/24', '2001:db8::1'],
  ['2001:db8::/32', '2001:db9::1'],
  ['::/0', '192.0.2.7'],
  ['0.0.0.0/0', '2001:db8::1'],
])("lets a registrar's allow-list with %s refuse %s", async (entry, address) => {
  const { authorization } = await addRegistrar(worker.env, { allowedIps: [entry] });
  const headers = { Authorization: authorization, 'CF-Connecting-IP': address };
  expect(await answer(headers)).toEqual(denied(address));
  expect(await answer(headers, '/repp/v1/contacts?limit=0')).toEqual(denied(address));
});

test('does not tell a stranger about the allow-list', async () => {
  const { apiUser } = await addRegistrar(worker.env, { allowedIps: ['192.0.2.7'] });
  const headers = {
    Authorization: basic(apiUser.username, 'guessed-secret'),
    'CF-Connecting-IP': '203.0.113.5',
  };
  expect(await answer(headers)).toEqual(refused);
});
