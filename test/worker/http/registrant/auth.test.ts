import { decodeJwt, decodeProtectedHeader } from 'jose';
import { expect, test } from 'vitest';
import { answerOf, registrantClient } from '../../../support/client.ts';
import { addContact, addPerson, addRegistrar, send } from '../../../support/fixtures.ts';
import { shareWorker } from '../../../support/worker.ts';

const worker = shareWorker();

const path = '/api/v1/registrant/auth/eid';
const mari = { ident: '48001084719', first_name: 'Mari', last_name: 'Maasikas' };
const anyone = { authorization: '' };

function login(body: unknown, headers: Record<string, string> = {}) {
  return answerOf(worker.fetch(path, send('POST', anyone, body, headers)));
}

test('issues a token for two hours', async () => {
  const before = Date.now();
  const { status, body } = await login(mari);
  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual(['access_token', 'expires_at', 'type']);
  expect(body.type).toBe('Bearer');
  expect(body.expires_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const lifetimeSeconds = (Date.parse(body.expires_at as string) - before) / 1000;
  expect(Math.abs(lifetimeSeconds - 2 * 60 * 60)).toBeLessThan(10);
});

test('signs a token with the key, issuer, audience and times that are checked', async () => {
  const { body } = await login({ ...mari, country_code: 'lv' });
  const token = body.access_token as string;
  expect(decodeProtectedHeader(token)).toEqual({ alg: 'HS256', kid: 'demo', typ: 'JWT' });
  const { iat, nbf, exp, ...claims } = decodeJwt(token);
  expect(claims).toEqual({
    iss: 'registry-edge',
    aud: 'registrant',
    sub: '48001084719',
    country_code: 'LV',
    first_name: 'Mari',
    last_name: 'Maasikas',
  });
  expect(nbf).toBe(iat);
  expect(exp! - iat!).toBe(2 * 60 * 60);
});

test('accepts the token of the person, with Estonia as the default country', async () => {
  const registrar = await addRegistrar(worker.env);
  const { code: ident } = await addPerson(worker.env);
  const contact = await addContact(worker.env, registrar, { ident });
  await addContact(worker.env, registrar, { ident, identCountryCode: 'LV' });
  const { body } = await login({ ...mari, ident });
  const person = { authorization: `Bearer ${body.access_token}` };
  const { body: list } = await registrantClient(worker).list(person);
  expect(list).toMatchObject({ contacts: [{ id: contact.uuid }] });
});

test.each(['ident', 'first_name', 'last_name'])(
  'refuses to issue a token without %s',
  async (field) => {
    for (const blank of [undefined, ' ']) {
      expect(await login({ ...mari, [field]: blank })).toEqual({
        status: 400,
        body: { errors: { [field]: ['parameter is required'] } },
      });
    }
  },
);

test.each([
  ['EE38001085718', '; leave out its prefix "EE"'],
  ['PNOEE-38001085718', '; leave out its prefix "PNOEE-"'],
  ['3800108571', ''],
  ['passport', ''],
])('issues no token for %s, which no Estonian has', async (ident, advice) => {
  const message = `is not an Estonian personal code of eleven digits${advice}`;
  expect(await login({ ...mari, ident })).toEqual({
    status: 400,
    body: { errors: { ident: [message] } },
  });
  expect((await login({ ...mari, ident, country_code: 'LV' })).status).toBe(200);
});

test('names all missing and invalid fields at once', async () => {
  expect(await login({ ident: 48001084719, country_code: 'XX' })).toEqual({
    status: 400,
    body: {
      errors: {
        ident: ['Ident code is invalid'],
        first_name: ['parameter is required'],
        last_name: ['parameter is required'],
        country_code: ['Country code is invalid'],
      },
    },
  });
});

test('issues no token to an address that is not on the list, whatever it sends', async () => {
  for (const body of [mari, {}, '[]']) {
    expect(await login(body, { 'CF-Connecting-IP': '192.0.2.7' })).toEqual({
      status: 401,
      body: { errors: { base: ['Not authorized'] } },
    });
  }
});
