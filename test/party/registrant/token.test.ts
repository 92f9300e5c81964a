import { SignJWT, UnsecuredJWT } from 'jose';
import { expect, test } from 'vitest';
import { issueToken, type TokenKey, verifyToken } from '../../../src/party/registrant/token.ts';

const key = (id: string, letter: string): TokenKey => ({
  id,
  secret: new TextEncoder().encode(letter.repeat(64)),
});
const current = key('2026-11', 'a');
const previous = key('2026-10', 'b');

const mari = {
  countryCode: 'EE',
  code: '48001084719',
  firstName: 'Mari',
  lastName: 'Maasikas',
};
const valid = { person: mari, isExpired: false };
const now = new Date('2026-11-21T12:00:00Z');
const afterSeconds = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const unauthorized = expect.objectContaining({ name: 'RegistryError', reason: 'unauthorized' });

const claims = {
  sub: mari.code,
  country_code: 'EE',
  first_name: 'Mari',
  last_name: 'Maasikas',
  iss: 'registry-edge',
  aud: 'registrant',
  iat: now.getTime() / 1000,
  nbf: now.getTime() / 1000,
  exp: now.getTime() / 1000 + 7200,
};

function sign(payload: object, header: object = {}, { secret } = current) {
  return new SignJWT({ ...payload })
    .setProtectedHeader({ alg: 'HS256', kid: current.id, ...header })
    .sign(secret);
}

test('a token gives the person that it was issued for, and tells that it is expired after two hours', async () => {
  const { token, expiresAt } = await issueToken([current], mari, now);
  expect(expiresAt).toEqual(new Date('2026-11-21T14:00:00Z'));
  expect(await verifyToken([current], token, afterSeconds(2 * 60 * 60 - 1))).toEqual(valid);
  expect(await verifyToken([current], token, afterSeconds(2 * 60 * 60))).toEqual({
    person: mari,
    isExpired: true,
  });
});

test('takes a token from a machine whose clock is a minute ahead, and refuses one from further', async () => {
  const { token } = await issueToken([current], mari, now);
  expect(await verifyToken([current], token, afterSeconds(-60))).toEqual(valid);
  await expect(verifyToken([current], token, afterSeconds(-61))).rejects.toEqual(unauthorized);
  const future = await sign({ ...claims, iat: claims.iat + 61 });
  await expect(verifyToken([current], future, now)).rejects.toEqual(unauthorized);
});

test('verifies tokens of a key that was rotated, until the key is taken out', async () => {
  const { token } = await issueToken([previous], mari, now);
  expect(await verifyToken([current, previous], token, now)).toEqual(valid);
  await expect(verifyToken([current], token, now)).rejects.toEqual(unauthorized);
});

test('signs with the first key', async () => {
  const { token } = await issueToken([current, previous], mari, now);
  expect(await verifyToken([current], token, now)).toEqual(valid);
});

test('accepts the claims that the refusals below lack', async () => {
  expect(await verifyToken([current], await sign(claims), now)).toEqual(valid);
});

test.each([
  ['another issuer', { iss: 'elsewhere' }],
  ['another audience', { aud: 'registrar' }],
  ['no issuer', { iss: undefined }],
  ['no audience', { aud: undefined }],
  ['no subject', { sub: undefined }],
  ['no expiry', { exp: undefined }],
  ['no time of issue', { iat: undefined }],
  ['no beginning', { nbf: undefined }],
  ['no country', { country_code: undefined }],
  ['no first name', { first_name: undefined }],
  ['no last name', { last_name: undefined }],
  ['an expiry that is text', { exp: '9999999999' }],
])('refuses a token with %s', async (_, changed) => {
  const token = await sign({ ...claims, ...changed });
  await expect(verifyToken([current], token, now)).rejects.toEqual(unauthorized);
});

test.each([
  ['an unknown key', { kid: 'other' }],
  ['no key', { kid: undefined }],
  ['the name of an object property as its key', { kid: '__proto__' }],
  ['another algorithm of the same family', { alg: 'HS512' }],
  ['an extension that must be understood', { crit: ['exp'], exp: 1 }],
])('refuses a token that names %s', async (_, header) => {
  const token = await sign(claims, header).catch(() => forgedHeader(header));
  await expect(verifyToken([current], await token, now)).rejects.toEqual(unauthorized);
});

/** A good token whose header was replaced. */
async function forgedHeader(header: object) {
  const [, payload, signature] = (await sign(claims)).split('.');
  const forged = JSON.stringify({ alg: 'HS256', kid: current.id, ...header });
  return `${Buffer.from(forged).toString('base64url')}.${payload}.${signature}`;
}

test('refuses a token that was signed with another secret under the name of a known key', async () => {
  const token = await sign(claims, {}, previous);
  await expect(verifyToken([current], token, now)).rejects.toEqual(unauthorized);
});

test('refuses a token without a signature', async () => {
  const unsigned = new UnsecuredJWT(claims).encode();
  const [, payload, signature] = (await sign(claims)).split('.');
  const header = Buffer.from(JSON.stringify({ alg: 'none', kid: current.id })).toString(
    'base64url',
  );
  for (const token of [unsigned, `${header}.${payload}.`, `${header}.${payload}.${signature}`]) {
    await expect(verifyToken([current], token, now)).rejects.toEqual(unauthorized);
  }
});

test('refuses a token whose payload was changed', async () => {
  const [header, , signature] = (await sign(claims)).split('.');
  const payload = Buffer.from(JSON.stringify({ ...claims, sub: '38001085718' }));
  const token = `${header}.${payload.toString('base64url')}.${signature}`;
  await expect(verifyToken([current], token, now)).rejects.toEqual(unauthorized);
});

test.each(['', '.', '..', 'a.b.c', 'e30.e30.e30', 'bnVsbA.bnVsbA.', '💥', 'e30.e30.e30.e30.e30'])(
  'refuses %j, which is no token',
  async (token) => {
    await expect(verifyToken([current], token, now)).rejects.toEqual(unauthorized);
  },
);
