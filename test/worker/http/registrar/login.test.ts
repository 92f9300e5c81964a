import { expect, test } from 'vitest';
import { digestSecret } from '../../../../src/party/credential/holder.ts';
import { addRegistrar, basic } from '../../../support/fixtures.ts';
import { shareWorker } from '../../../support/worker.ts';

const worker = shareWorker();

async function answer(headers: Record<string, string>, path = '/repp/v1/contacts') {
  const response = await worker.fetch(path, { headers });
  return {
    status: response.status,
    challenge: response.headers.get('WWW-Authenticate'),
    body: await response.json(),
  };
}

const empty = {
  status: 200,
  challenge: null,
  body: { contacts: [], total_number_of_records: 0 },
};

test.each([
  ['a secret with colons', 'colons', 'a:b::c:'],
  ['a secret in UTF-8', 'utf-8', 'pässwörd-õ😀'],
  ['a secret with spaces', 'spaces', ' open sesame '],
  ['a username in UTF-8', 'jüri.õunapuu', 'secret'],
])('accepts %s', async (_, username, secret) => {
  await addRegistrar(worker.env, {}, { username, secretDigest: await digestSecret(secret) });
  expect(await answer({ Authorization: basic(username, secret) })).toEqual(empty);
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

test('an allow-list admits its addresses and nobody else', async () => {
  const allowedIps = ['203.0.113.1', '192.0.2.0/24'];
  const { authorization } = await addRegistrar(worker.env, { allowedIps });
  const from = (address: string, path?: string) =>
    answer({ Authorization: authorization, 'CF-Connecting-IP': address }, path);
  expect(await from('192.0.2.255')).toEqual(empty);
  const message = 'Access denied from IP 192.0.3.0';
  const denied = {
    status: 401,
    challenge: 'Basic realm="REPP", charset="UTF-8"',
    body: { code: 2202, message, data: {}, errors: [{ code: 2202, message, field: null }] },
  };
  expect(await from('192.0.3.0')).toEqual(denied);
  expect(await from('192.0.3.0', '/repp/v1/contacts?limit=0')).toEqual(denied);
});
