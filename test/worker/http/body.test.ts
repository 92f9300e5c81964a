import { gzipSync } from 'node:zlib';
import { expect, it, test } from 'vitest';
import { answerOf, registrarClient } from '../../support/client.ts';
import {
  addOwnContact,
  addPerson,
  addRegistrar,
  newContact,
  send,
} from '../../support/fixtures.ts';
import { onTheWire } from '../../support/wire.ts';
import { shareWorker } from '../../support/worker.ts';
import { document } from './openapi/operations.ts';

const worker = shareWorker();
const repp = registrarClient(worker);

const syntaxError = (detail: unknown = expect.any(String)) => ({
  code: 2001,
  message: 'Command syntax error',
  data: {},
  errors: [{ code: 2001, message: 'Command syntax error', field: null, detail }],
});

const expected = 'a JSON object is expected.';
const wrongBodies: [what: string, body: string | Buffer, detail: string | RegExp][] = [
  ['nothing', '', `The body is empty; ${expected}`],
  ['malformed JSON', '{"contact":', 'The body is not JSON: Unexpected end of JSON input.'],
  [
    'thousands of levels',
    `{"contact": {"phone": ${'['.repeat(20_000)}${']'.repeat(20_000)}}}`,
    'The body has more than 32 levels.',
  ],
  ['JSON without a value', '{"contact":}', "The body is not JSON: Unexpected token '}'."],
  ['JSON in other quotes', "{'contact':1}", /^The body is not JSON: .+ \(line 1 column 2\)\.$/],
  ['an array', '[]', `The body is an array; ${expected}`],
  ['null', 'null', `The body is null; ${expected}`],
  ['a number', '7', `The body is a number; ${expected}`],
  ['invalid UTF-8', Buffer.from('{"contact":{"name":"\xff"}}', 'latin1'), 'The body is not UTF-8.'],
  ['deep nesting', '['.repeat(60_000), /^The body is not JSON: /],
];

test.each(wrongBodies)(
  'refuses %s as the body of a registrar, and says what is wrong with it',
  async (_, body, detail) => {
    const { authorization } = await addRegistrar(worker.env);
    const headers = { Authorization: authorization, 'Content-Type': 'application/json' };
    const said = detail instanceof RegExp ? expect.stringMatching(detail) : detail;
    const sent = { method: 'POST', headers, body };
    const answer = await onTheWire(worker.url, '/repp/v1/contacts', sent);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toEqual(syntaxError(said));
  },
);

test.each([
  ['POST', '/api/v1/registrant/auth/eid'],
  ['PATCH', `/api/v1/registrant/contacts/${crypto.randomUUID()}`],
])('refuses what is not a JSON object as the body of a registrant: %s %s', async (method, path) => {
  const body = send(method, await addPerson(worker.env), '[]');
  expect(await answerOf(worker.fetch(path, body))).toEqual({
    status: 400,
    body: { errors: { base: ['Request body is not a JSON object'] } },
  });
});

test.each(['text/plain', 'application/jsonp'])('refuses a body of type %s', async (type) => {
  const registrar = await addRegistrar(worker.env);
  const headers = { 'Content-Type': type };
  expect(await repp.create(registrar, newContact(), headers)).toEqual({
    status: 400,
    body: syntaxError('The Content-Type of the body is not JSON.'),
  });
});

test('says outside REPP, too, that the type of a body is wrong', async () => {
  const lookup = { method: 'POST', headers: { 'Content-Type': 'text/json' }, body: '{}' };
  expect(await answerOf(worker.fetch('/repp/v1/retained_domains/lookup', lookup))).toEqual({
    status: 400,
    body: { errors: { base: ['Content-Type of the request body is not JSON'] } },
  });
});

test.each(['application/json; charset=utf-8', 'Application/JSON', 'application/vnd.api+json'])(
  'takes a body of the type %s',
  async (type) => {
    const registrar = await addRegistrar(worker.env);
    const headers = { 'Content-Type': type };
    expect((await repp.create(registrar, newContact(), headers)).status).toBe(200);
  },
);

test('accepts a body without a type, and one with a byte order mark', async () => {
  const { authorization } = await addRegistrar(worker.env);
  for (const body of [
    Buffer.from(JSON.stringify({ contact: newContact() })),
    Buffer.from(`\ufeff${JSON.stringify({ contact: newContact() })}`),
  ]) {
    const answer = await onTheWire(worker.url, '/repp/v1/contacts', {
      method: 'POST',
      headers: { Authorization: authorization },
      body,
    });
    expect(JSON.parse(answer.body)).toMatchObject({ code: 1000 });
  }
});

const coded = 'Request body has the Content-Encoding gzip, which is not accepted';

test.each([
  ['/repp/v1/contacts', syntaxError(`${coded}.`)],
  ['/repp/v1/retained_domains/lookup', { errors: { base: [coded] } }],
])(
  '%s refuses a body in gzip with 415, and names the coding and what is accepted',
  async (path, refusal) => {
    const { authorization } = await addRegistrar(worker.env);
    const headers = { Authorization: authorization, 'Content-Encoding': 'gzip' };
    const answer = await worker.fetch(path, { method: 'POST', headers, body: gzipSync('{}') });
    expect(answer.status).toBe(415);
    expect(answer.headers.get('Accept-Encoding')).toBe('identity');
    expect(await answer.json()).toEqual(refusal);
  },
);

test.each(['br', 'identity, deflate', 'identity;q=1'])(
  'refuses a body with the Content-Encoding %s, before it looks at the body',
  async (coding) => {
    const lookup = { method: 'POST', headers: { 'Content-Encoding': coding }, body: '\x1f\x8b' };
    const answer = await answerOf(worker.fetch('/repp/v1/retained_domains/lookup', lookup));
    expect(answer.status).toBe(415);
    expect(answer.body.errors.base[0]).toContain(` ${coding.split(', ').at(-1)},`);
  },
);

test.each(['identity', ' Identity , identity', ','])(
  'takes a body with the Content-Encoding "%s", which is none',
  async (coding) => {
    const headers = { 'Content-Encoding': coding, 'Content-Type': 'application/json' };
    const lookup = { method: 'POST', headers, body: '{"names": ["a.ee"]}' };
    expect((await worker.fetch('/repp/v1/retained_domains/lookup', lookup)).status).toBe(200);
  },
);

test('does not ask about the coding of a body that is not there, nor tell a stranger about it', async () => {
  const { authorization } = await addRegistrar(worker.env);
  const headers = { 'Content-Encoding': 'gzip' };
  const list = { headers: { ...headers, Authorization: authorization } };
  expect((await worker.fetch('/repp/v1/contacts', list)).status).toBe(200);
  const create = { method: 'POST', headers, body: gzipSync('{}') };
  expect((await worker.fetch('/repp/v1/contacts', create)).status).toBe(401);
});

/** A create request whose body has exactly this many bytes. */
function bodyOf(bytes: number): Buffer {
  const shortest = JSON.stringify({ contact: newContact(), padding: '' });
  const padding = 'x'.repeat(bytes - shortest.length);
  return Buffer.from(JSON.stringify({ contact: newContact(), padding }));
}

const kibibytes = 1024;

test.each([
  ['at once', (body: Buffer) => body],
  [
    'in chunks',
    (body: Buffer) => [body.subarray(0, 40 * kibibytes), body.subarray(40 * kibibytes)],
  ],
])('accepts 64 KiB sent %s, and not a byte more', async (_, cut) => {
  const { authorization } = await addRegistrar(worker.env);
  const post = (bytes: number) =>
    onTheWire(worker.url, '/repp/v1/contacts', {
      method: 'POST',
      headers: { Authorization: authorization, 'Content-Type': 'application/json' },
      body: cut(bodyOf(bytes)),
    });
  expect((await post(64 * kibibytes)).status).toBe(200);
  const larger = await post(64 * kibibytes + 1);
  expect(larger.status).toBe(413);
  const detail = 'Request body is larger than 65536 bytes.';
  expect(JSON.parse(larger.body)).toEqual(syntaxError(detail));
});

async function ignoredFields(contact: object, beside: object = {}) {
  const registrar = await addRegistrar(worker.env);
  const body = { contact: newContact(contact), ...beside };
  const response = await repp.request(registrar, 'POST', '', body);
  expect(response.status).toBe(200);
  return response.headers.get('Ignored-Fields');
}

test('names no ignored field if there is none', async () => {
  expect(await ignoredFields({ addr: { city: 'Tartu' }, fax: null })).toBeNull();
});

test('names the fields that a create does not know, by their paths', async () => {
  expect(
    await ignoredFields(
      {
        verified: true,
        legal_document: { body: 'x', type: 'pdf' },
        addr: { city: 'Tartu', planet: 'Earth' },
        ident: { ...newContact().ident, issuer: 'x' },
      },
      { platform: 'x' },
    ),
  ).toBe(
    'contact.ident.issuer, contact.verified, contact.legal_document, contact.addr.planet, platform',
  );
});

test('names the fields that an update ignores, even if it is refused', async () => {
  const { registrar, code } = await addOwnContact(worker.env);
  const put = (contact: object) => repp.request(registrar, 'PUT', `/${code}`, { contact });
  expect((await put({ id: 'NEW', name: 'Mari' })).headers.get('Ignored-Fields')).toBe('contact.id');
  const refused = await put({ verified: true });
  expect(refused.status).toBe(400);
  expect(refused.headers.get('Ignored-Fields')).toBe('contact.verified');
});

test('names hostile fields in a form that a header can carry', async () => {
  expect(await ignoredFields({ 'a\r\nSet-Cookie: x': 1, 'õ, b': 1, '': 1 })).toBe(
    'contact.a%0D%0ASet-Cookie:%20x, contact.%C3%B5%2C%20b, contact.',
  );
  const registrar = await addRegistrar(worker.env);
  const body = `{"contact":${JSON.stringify(newContact()).slice(0, -1)},"\\ud800":1,"__proto__":{"x":1}}}`;
  const response = await repp.request(registrar, 'POST', '', body);
  expect(response.status).toBe(200);
  expect(response.headers.get('Ignored-Fields')).toBe('contact.%EF%BF%BD, contact.__proto__');
});

test('names as many of a thousand ignored fields as fit a header of 1 KiB', async () => {
  const names = Array.from({ length: 1000 }, (_, n) => `field${n}`);
  const header = (await ignoredFields(Object.fromEntries(names.map((name) => [name, 1]))))!;
  expect(header.length).toBeLessThan(1100);
  const listed = header.split(', ');
  expect(listed.pop()).toBe('...');
  expect(listed).toEqual(names.slice(0, listed.length).map((name) => `contact.${name}`));
  expect(listed.length).toBeGreaterThan(50);
});

it('a body that is not a JSON object is refused without a word of it', async () => {
  const registrar = await addRegistrar(worker.env);
  const body = '{"contact":{"auth_info":"open sesame","name":oops}}';
  const response = await repp.request(registrar, 'POST', '', body);
  expect(await response.text()).not.toMatch(/sesame|oops/);
});

it('a contact with unknown fields alone is refused with the fields that there are', async () => {
  const { registrar, code } = await addOwnContact(worker.env);
  const { body } = await repp.update(registrar, code, { verified: true });
  const { contact } = document.components.schemas.ContactUpdate.properties;
  const names = Object.keys(contact.properties);
  expect(names).toEqual(expect.arrayContaining(['name', 'addr', 'ident', 'street', 'ident_type']));
  expect(body.errors[0].detail).toBe(
    `None of its fields is known here, which are ${names.join(', ')}.`,
  );
});

it('code 2304 says which status prohibits an operation', async () => {
  const { registrar, code } = await addOwnContact(worker.env, {
    statuses: ['clientTransferProhibited', 'serverUpdateProhibited', 'pendingDelete'],
  });
  expect((await repp.update(registrar, code, { phone: '+1.1' })).body.errors).toEqual([
    {
      code: 2304,
      message: 'Object status prohibits operation',
      field: null,
      detail: 'The contact has the status serverUpdateProhibited.',
    },
  ]);
  expect((await repp.delete(registrar, code)).body.errors).toMatchObject([
    { code: 2304, detail: 'The contact has the status pendingDelete.' },
  ]);
});

it('says that after and offset exclude each other', async () => {
  const registrar = await addRegistrar(worker.env);
  const after = Buffer.from('000000000000001').toString('base64url');
  expect((await repp.list(registrar, `?after=${after}&offset=1`)).body.errors).toMatchObject([
    { code: 2005, field: 'after', detail: 'after and offset exclude each other.' },
  ]);
});
