import { afterEach, expect, test, vi } from 'vitest';
import type { Env } from '../../../src/base/env.ts';
import { app } from '../../../src/worker/http/app.ts';
import { addContact, addOwnContact, addPerson, addRegistrar } from '../../support/fixtures.ts';
import { onTheWire } from '../../support/wire.ts';
import { shareEmptyWorker } from '../../support/worker.ts';

const worker = shareEmptyWorker();
const uuid = '6fb4a1c2-5e5d-4d5a-9f39-0a6f1d2c3b4a';

const registrarForm = (code: number, message: string, detail?: string) => ({
  code,
  message,
  data: {},
  errors: [{ code, message, field: null, detail }],
});
const fieldForm = (message: string) => ({ errors: { base: [message] } });

async function registrar() {
  return (await addRegistrar(worker.env)).authorization;
}
async function person() {
  return (await addPerson(worker.env)).authorization;
}
async function nobody() {
  return '';
}

test.each([
  ['/repp/v1/contacts/A/B/C', registrar, registrarForm(2000, 'Unknown command')],
  ['/repp/v2/contacts', nobody, registrarForm(2000, 'Unknown command')],
  ['/repp/v1/retained_domains/x/y', nobody, fieldForm('Not found')],
  ['/api/v1/registrant', nobody, fieldForm('Not found')],
  [`/api/v1/registrant/contacts/${uuid}/x`, person, fieldForm('Not found')],
  [`/api/v1/auctions/${uuid}/x`, nobody, { error: 'Not Found', message: 'Not found' }],
  ['/etc', nobody, fieldForm('Not found')],
  ['/reppx', nobody, fieldForm('Not found')],
  ['/%E0%A4%A', nobody, fieldForm('Not found')],
])('answers the unknown route %s in the format of its interface', async (path, caller, body) => {
  const { status, ...answer } = await onTheWire(worker.url, path, {
    headers: { Authorization: await caller() },
  });
  expect(status).toBe(404);
  expect(JSON.parse(answer.body)).toEqual(body);
});

test.each([
  ['malformed percent-encoding', '%E0%A4%A'],
  ['a NUL', 'A%00B'],
  ['an encoded slash', 'A%2FB'],
  ['LIKE metacharacters', '%25'],
  ['a long path', 'x'.repeat(15_000)],
])('answers %s in the path of a contact in the format of the interface', async (_, code) => {
  const owner = await addRegistrar(worker.env);
  await addContact(worker.env, owner);
  const headers = { Authorization: owner.authorization };
  const answer = await onTheWire(worker.url, `/repp/v1/contacts/${code}`, { headers });
  expect(answer.status).toBe(404);
  const detail = "A contact's code has a prefix and a colon, for example ALPHA:KASK.";
  expect(JSON.parse(answer.body)).toEqual(registrarForm(2303, 'Object does not exist', detail));
});

test('treats malformed percent-encoding in a query as an invalid value', async () => {
  const headers = { Authorization: await registrar() };
  const answer = await onTheWire(worker.url, '/repp/v1/contacts?limit=%E0%A4%A', { headers });
  expect(answer.status).toBe(400);
  expect(JSON.parse(answer.body)).toMatchObject({ code: 2005 });
});

test('answers HEAD as GET, without the body', async () => {
  const { registrar: owner, code } = await addOwnContact(worker.env);
  for (const [path, status] of [
    ['/repp/v1/contacts', 200],
    [`/repp/v1/contacts/${code}`, 200],
    ['/repp/v1/contacts/NO:SUCH', 404],
    ['/repp/v1/contacts?limit=0', 400],
  ] as const) {
    const headers = { Authorization: owner.authorization };
    const answer = await onTheWire(worker.url, path, { method: 'HEAD', headers });
    expect(answer).toMatchObject({ status, body: '' });
    expect(answer.headers['content-type']).toBe('application/json');
  }
});

test('gives every answer of the private interfaces its own request id, and marks it as private', async () => {
  const owner = await addRegistrar(worker.env);
  const paths = [
    '/repp/v1/contacts',
    '/repp/v1/contacts/NO:SUCH',
    '/repp/v1/contacts?limit=0',
    '/repp/v1/nothing',
    '/api/v1/registrant/contacts',
    '/api/v1/auctions',
    `/api/v1/auctions/${uuid}`,
    '/',
  ];
  const ids = new Set<string>();
  for (const method of ['GET', 'POST', 'PROPFIND']) {
    for (const path of paths) {
      const headers = { Authorization: owner.authorization, 'X-Request-Id': 'mine' };
      const answer = await onTheWire(worker.url, path, { method, headers });
      expect(answer.headers['cache-control']).toBe('private, no-store');
      expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      ids.add(String(answer.headers['x-request-id']));
    }
  }
  expect(ids.size).toBe(3 * paths.length);
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** The bindings with a database that refuses every query, as after a failed migration. */
function withFailingDatabase(): Env {
  const fail = () => Promise.reject(new Error('D1_ERROR: no such table: contacts: SQLITE_ERROR'));
  const statement = { bind: () => statement, all: fail, raw: fail, run: fail, first: fail };
  const connection = { prepare: () => statement, batch: fail, getBookmark: () => null };
  const DB = { ...connection, withSession: () => connection } as unknown as D1Database;
  return { ...worker.env, DB };
}

test('logs a failure once with its request id, and without the values of the failed query', async () => {
  const logged = [vi.spyOn(console, 'error'), vi.spyOn(console, 'info')];
  for (const spy of logged) spy.mockReturnValue();
  const holder = await addPerson(worker.env, { code: '60001019906' });
  const owner = await addRegistrar(worker.env);
  const responses = [
    await app.request(
      '/api/v1/registrant/contacts',
      { headers: { Authorization: holder.authorization } },
      withFailingDatabase(),
    ),
    await app.request(
      '/repp/v1/contacts/SECRET:CODE',
      { headers: { Authorization: owner.authorization } },
      withFailingDatabase(),
    ),
  ];
  const [errors, others] = logged.map((spy) => spy.mock.calls.map(([line]) => String(line)));
  expect(errors!.map((line) => JSON.parse(line))).toEqual(
    responses.map((response) =>
      expect.objectContaining({
        level: 'error',
        event: 'unexpected',
        request_id: response.headers.get('X-Request-Id'),
        message: expect.stringContaining('no such table'),
      }),
    ),
  );
  const log = [...errors!, ...others!].join('\n');
  for (const secret of ['60001019906', 'SECRET:CODE', owner.apiUser.secretDigest]) {
    expect(log).not.toContain(secret);
  }
});

test.each([
  ['/repp/v1/contacts', registrar],
  ['/api/v1/registrant/contacts', person],
  [`/api/v1/auctions/${uuid}`, nobody],
])(
  'answers %s with a failure that the log explains while a setting is missing',
  async (path, caller) => {
    const logged = vi.spyOn(console, 'error').mockReturnValue();
    const headers = { Authorization: await caller(), 'CF-Connecting-IP': '127.0.0.1' };
    const env = { ...worker.env, REGISTRANT_TOKEN_KEYS: undefined } as unknown as Env;
    const response = await app.request(path, { headers }, env);
    expect(response.status).toBe(503);
    expect(response.headers.get('Retry-After')).toMatch(/^[1-5]$/);
    const text = await response.text();
    expect(text).toContain('The registry is not set up correctly, request id');
    expect(text).not.toContain('REGISTRANT_TOKEN_KEYS');
    expect(logged.mock.calls.map(([line]) => JSON.parse(String(line)))).toEqual([
      expect.objectContaining({
        request_id: response.headers.get('X-Request-Id'),
        message: expect.stringMatching(
          /^settings are missing or malformed: REGISTRANT_TOKEN_KEYS: /,
        ),
      }),
    ]);
  },
);
