import { beforeAll, expect, test } from 'vitest';
import { addContact, addRegistrar, basic, newContact } from '../../support/fixtures.ts';
import { onTheWire } from '../../support/wire.ts';
import { shareWorker } from '../../support/worker.ts';

/** Whoever may not log in learns no more from any request than from the simplest one. */
const worker = shareWorker();

type Sent = Parameters<typeof onTheWire>[2];

async function answerTo(path: string, sent: Sent = {}) {
  const whole = path.startsWith('/repp') ? path : `/repp/v1/contacts${path}`;
  const ask = () => onTheWire(worker.url, whole, sent);
  // A connection that is closed while a body is still on its way may lose the answer (RFC 9112, section 9.6).
  const { status, headers, body } = await ask().catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ECONNRESET') throw error;
    return ask();
  });
  const { 'x-request-id': id, date: _, connection: __, 'keep-alive': ___, ...told } = headers;
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  return { status, headers: told, body };
}

let existing: string;
let strangers: Record<string, Record<string, string>>;
/** The answer to the simplest request of each. */
let plain: Record<string, Awaited<ReturnType<typeof answerTo>>>;

beforeAll(async () => {
  const alpha = await addRegistrar(worker.env);
  const disabled = await addRegistrar(worker.env, {}, { disabledAt: '2026-01-02T03:04:05.678Z' });
  const { username } = alpha.apiUser;
  existing = (await addContact(worker.env, alpha)).code;
  const headersOf = (authorization: string) => ({ Authorization: authorization });
  strangers = {
    'nobody known': headersOf(basic('stranger', 'secret')),
    'a user with a wrong secret': headersOf(basic(username, 'guessed')),
    'a disabled user': headersOf(disabled.authorization),
    'nobody at all': {},
    'somebody with another scheme': headersOf('Bearer abc'),
  };
  const simplest = Object.entries(strangers).map(
    async ([who, headers]) => [who, await answerTo('', { headers })] as const,
  );
  plain = Object.fromEntries(await Promise.all(simplest));
  const key = { ...headersOf(alpha.authorization), 'Idempotency-Key': 'used' };
  const body = JSON.stringify({ contact: newContact() });
  const created = await answerTo('', { method: 'POST', headers: key, body });
  expect(created.status).toBe(200);
});

const good = JSON.stringify({ contact: newContact() });
const large = Buffer.alloc(70_000, ' ');

const requests: [what: string, path: string, sent: Sent][] = [
  ['a good create', '', { method: 'POST', body: good }],
  ['a create with unknown fields', '', { method: 'POST', body: '{"contact":{"x":1},"y":2}' }],
  ['malformed JSON', '', { method: 'POST', body: '{"contact":' }],
  ['a body that is an array', '/A:B', { method: 'PUT', body: '[]' }],
  ['an invalid field', '/A:B', { method: 'PUT', body: '{"contact":{"phone":"1"}}' }],
  ['another content type', '', { method: 'POST', body: 'a', headers: { 'Content-Type': 'a/b' } }],
  ['a body that is too large', '', { method: 'POST', body: large }],
  ['a chunked body that is too large', '', { method: 'POST', body: [large] }],
  ['a bad query', '?limit=0&details=maybe', {}],
  ['an unknown parameter', '?color=red', {}],
  ['an after of their own', '?after=1', {}],
  ['an unknown route', '/A:B/history/1', {}],
  ['an unknown route with a method of its own', '/A:B/history', { method: 'POST', body: good }],
  ['a wrong method', '/A:B', { method: 'PATCH', body: good }],
  ['OPTIONS', '', { method: 'OPTIONS' }],
  ['an impossible code', '/check/%20', {}],
  ['a malformed path', '/%E0%A4%A', {}],
  ['a contact that is not there', '/NO:SUCH', {}],
  ['its history', '/NO:SUCH/history', {}],
  ['a malformed key', '', { method: 'POST', body: good, headers: { 'Idempotency-Key': '"' } }],
  ['a key in use', '', { method: 'POST', body: good, headers: { 'Idempotency-Key': 'used' } }],
  ['a malformed bookmark', '', { headers: { 'X-D1-Bookmark': 'first-primary' } }],
  [
    'a bookmark of another database',
    '',
    { headers: { 'X-D1-Bookmark': `00000000-00000000-00000000-${'0'.repeat(32)}` } },
  ],
  ['a malformed reference', '', { headers: { 'X-Client-Transaction-Id': 'x'.repeat(65) } }],
  ['notifications', '/repp/v1/registrar/notifications', {}],
  ['a page of notifications', '/repp/v1/registrar/notifications/all_notifications?limit=x', {}],
  ['a notification', '/repp/v1/registrar/notifications/1', { method: 'PUT', body: '{"x":1}' }],
  ['an unknown route of notifications', '/repp/v1/registrar/notifications/1/2', {}],
  ['a version', '/A:B', { method: 'DELETE', headers: { 'If-Match': '"1"' } }],
];

test.each(requests)('answers %s like any other request of a stranger', async (_, path, sent) => {
  for (const [who, headers] of Object.entries(strangers)) {
    const answer = await answerTo(path, { ...sent, headers: { ...headers, ...sent?.headers } });
    expect(answer.status).toBe(401);
    expect({ who, ...answer }).toEqual({ who, ...plain[who] });
  }
});

test('answers every call about a contact as if it did not exist', async () => {
  const headers = strangers['nobody known'] as Record<string, string>;
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const body = method === 'PUT' ? '{"contact":{"phone":"+1.1"}}' : '';
    const sent = { method, headers, body };
    expect(await answerTo(`/${existing}`, sent)).toEqual(await answerTo('/NO:SUCH', sent));
  }
});
