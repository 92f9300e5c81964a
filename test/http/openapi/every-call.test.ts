import { beforeAll, expect, it } from 'vitest';
import { systemRights } from '../../../drizzle/schema.ts';
import { rateLimits } from '../../../src/env.ts';
import { app } from '../../../src/http/app.ts';
import { openApiDocument } from '../../../src/http/document.openapi.ts';
import { interfaceOf } from '../../../src/http/interface.ts';
import { addPerson, addRegistrar, addSystem } from '../../support/fixtures.ts';
import { onTheWire } from '../../support/wire.ts';
import { shareWorker } from '../../support/worker.ts';

/** The document's promises about every call, tried with every call: its middleware is easily forgotten. */
const worker = shareWorker();

type Scheme = 'basic' | 'bearer' | 'systemKey';

interface Operation {
  security?: object[];
  parameters?: { $ref?: string }[];
  responses: Record<string, { headers?: object }>;
}

const { paths } = JSON.parse(JSON.stringify(openApiDocument()));
const calls = Object.entries(paths as Record<string, Record<string, Operation>>).flatMap(
  ([path, item]) =>
    Object.entries(item).map(([method, { security = [], parameters = [], responses }]) => ({
      method: method.toUpperCase(),
      path,
      scheme: Object.keys(security[0] ?? {})[0] as Scheme | undefined,
      takes: (header: string) => parameters.some(({ $ref }) => $ref?.endsWith(`/${header}`)),
      isRefused: '413' in responses,
      isLimited: '429' in responses,
    })),
);
type Call = (typeof calls)[number];

let callers: Record<Scheme, string>;
beforeAll(async () => {
  const { env } = worker;
  const registrar = await addRegistrar(env);
  const person = await addPerson(env);
  const system = await addSystem(env, [...systemRights]);
  callers = {
    basic: registrar.authorization,
    bearer: person.authorization,
    systemKey: system.authorization,
  };
});

function send({ method, path, scheme }: Call, headers: Record<string, string>, body?: Buffer) {
  const sent = path.replace(/\{.*?\}/g, crypto.randomUUID());
  const login = scheme && { Authorization: callers[scheme] };
  return onTheWire(worker.url, sent, {
    method,
    headers: { ...login, ...headers },
    ...(body && { body }),
  });
}

const tooLarge = Buffer.from(JSON.stringify({ text: 'x'.repeat(256 * 1024) }));

// A call that takes no body answers a GET before it has read one, and the connection is reset.
const readers = calls.filter(({ method, isRefused }) => isRefused || method !== 'GET');

it.each(readers)('$method $path refuses a body of more than 256 KiB: $isRefused', async (call) => {
  const headers = {
    'Content-Type': 'application/json',
    // Node sends none with a GET or a DELETE of its own accord.
    'Content-Length': String(tooLarge.length),
  };
  const { status } = await send(call, headers, tooLarge);
  expect(status === 413).toBe(call.isRefused);
});

/** The call that gives a person's token. */
const isLogin = ({ path }: Call) => path === '/api/v1/registrant/auth/eid';

it.each([
  ['registrar', 'basic'],
  ['registrant', 'bearer'],
  ['internal', 'systemKey'],
] as const)('every call of the %s interface asks for the login %s', (name, scheme) => {
  const its = calls.filter((call) => interfaceOf(call.path) === name && !isLogin(call));
  expect(its.filter((call) => call.scheme !== scheme)).toEqual([]);
});

it.each(calls.filter(({ scheme }) => scheme))(
  '$method $path is refused without the login that the document names',
  async (call) => {
    const { status, headers } = await send(call, { Authorization: '' });
    expect(status).toBe(401);
    const scheme = call.scheme === 'basic' ? 'Basic' : 'Bearer';
    expect(headers['www-authenticate']).toMatch(scheme);
  },
);

it.each(calls)('$method $path is counted by address, or by system', async (call) => {
  const { method, path, scheme, isLimited } = call;
  const env = {
    ...worker.env,
    RATE_LIMIT_POLICY: rateLimits.map((limit) => `"${limit}";q=1;w=60`).join(', '),
    ADDRESS_LIMITER: { limit: async () => ({ success: false }) },
    SYSTEM_LIMITER: { limit: async () => ({ success: false }) },
  };
  const headers = {
    'CF-Connecting-IP': '203.0.113.9',
    Authorization: scheme ? callers[scheme] : '',
  };
  const sent = path.replace(/\{.*?\}/g, crypto.randomUUID());
  const context = { waitUntil: () => {} } as unknown as ExecutionContext;
  const { status } = await app.request(sent, { method, headers }, env, context);
  expect([status, isLimited]).toEqual([429, true]);
});

it.each(calls.filter(({ takes }) => takes('RPP-Cltrid')))(
  '$method $path repeats the client’s reference',
  async (call) => {
    expect((await send(call, { 'RPP-Cltrid': 'mine' })).headers['rpp-cltrid']).toBe('mine');
  },
);

it.each(calls.filter(({ takes }) => takes('X-D1-Bookmark')))(
  '$method $path refuses a malformed bookmark',
  async (call) => {
    const { status, body } = await send(call, { 'X-D1-Bookmark': 'forged' });
    expect([status, body]).toEqual([400, expect.stringContaining('X-D1-Bookmark')]);
  },
);
