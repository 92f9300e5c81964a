import { readFileSync } from 'node:fs';
import { parse } from 'smol-toml';
import { beforeAll, expect, it, vi } from 'vitest';
import { systemRights } from '../../../../drizzle/schema.ts';
import type { Env } from '../../../../src/base/env.ts';
import { app, interfaceOf } from '../../../../src/worker/http/app.ts';
import { addPerson, addRegistrar, addSystem } from '../../../support/fixtures.ts';
import { onTheWire } from '../../../support/wire.ts';
import { shareWorker } from '../../../support/worker.ts';
import { type Operation, operations } from './operations.ts';

/** The document's promises about every call, tried with every call: its middleware is easily forgotten. */
const worker = shareWorker();

/** The limits of a deployment, which an example names. */
const { env: environments } = parse(readFileSync('wrangler.toml', 'utf8'));
const { RATE_LIMIT_POLICY } = (environments as { production: { vars: Record<string, string> } })
  .production.vars;

let callers: Record<'basic' | 'bearer' | 'systemKey', string>;
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

function requestOf({ path, scheme }: Operation, headers: Record<string, string>) {
  const sent = path.replace(/\{.*?\}/g, crypto.randomUUID());
  return [sent, { ...(scheme && { Authorization: callers[scheme] }), ...headers }] as const;
}

function send(call: Operation, headers: Record<string, string>, body?: Buffer) {
  const [path, all] = requestOf(call, headers);
  const { method } = call;
  return onTheWire(worker.url, path, { method, headers: all, ...(body && { body }) });
}

/** Asks in this process, with other bindings. */
function ask(
  call: Operation,
  bindings: object,
  { address = '127.0.0.1', ...init }: RequestInit & { address?: string } = {},
) {
  const given = { 'CF-Connecting-IP': address, 'Content-Type': 'application/json' };
  const [path, headers] = requestOf(call, given);
  const context = { waitUntil: () => {} } as unknown as ExecutionContext;
  const env = { ...worker.env, RATE_LIMIT_POLICY, ...bindings } as Env;
  return app.request(path, { method: call.method, ...init, headers }, env, context);
}

const tooLarge = Buffer.from(JSON.stringify({ text: 'x'.repeat(256 * 1024) }));

// A call that takes no body answers a GET before it has read one, and the connection is reset.
const readers = operations
  .map((call) => ({ ...call, isRefused: '413' in call.responses }))
  .filter(({ method, isRefused }) => isRefused || method !== 'GET');

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
const isLogin = ({ path }: Operation) => path === '/api/v1/registrant/auth/eid';

it.each([
  ['registrar', 'basic'],
  ['registrant', 'bearer'],
  ['internal', 'systemKey'],
] as const)('every call of the %s interface asks for the login %s', (name, scheme) => {
  const its = operations.filter((call) => interfaceOf(call.path) === name && !isLogin(call));
  expect(its.filter((call) => call.scheme !== scheme)).toEqual([]);
});

it.each(operations.filter(({ scheme }) => scheme))(
  '$method $path is refused without the login that the document names',
  async (call) => {
    const { status, headers } = await send(call, { Authorization: '' });
    expect(status).toBe(401);
    const scheme = call.scheme === 'basic' ? 'Basic' : 'Bearer';
    expect(headers['www-authenticate']).toMatch(scheme);
  },
);

it.each(operations.filter(({ scheme }) => scheme === 'systemKey'))(
  '$method $path is for systems with the right that the document names',
  async (call) => {
    const needed = /^Needs `(.+?)`/.exec(call.description ?? '')?.[1];
    const others = systemRights.filter((right) => right !== needed);
    const { authorization } = await addSystem(worker.env, others);
    const { status } = await send(call, { Authorization: authorization });
    expect(status === 403).toBe(needed !== undefined);
  },
);

const limiter = { limit: async () => ({ success: false }) };

it.each(operations)('$method $path is counted by address, or by system', async (call) => {
  const limiters = { ADDRESS_LIMITER: limiter, SYSTEM_LIMITER: limiter };
  // The portal's own address is not counted, and a system is counted once it has been let in.
  const address = call.scheme === 'systemKey' ? '127.0.0.1' : '203.0.113.9';
  const { status } = await ask(call, limiters, { address });
  expect([status, '429' in call.responses]).toEqual([429, true]);
});

const taking = (header: string) =>
  operations.filter(({ parameters }) => parameters.some(({ name }) => name === header));

it.each(taking('RPP-Cltrid'))('$method $path repeats the client’s reference', async (call) => {
  expect((await send(call, { 'RPP-Cltrid': 'mine' })).headers['rpp-cltrid']).toBe('mine');
});

it.each(taking('X-D1-Bookmark'))('$method $path refuses a malformed bookmark', async (call) => {
  const { status, body } = await send(call, { 'X-D1-Bookmark': 'forged' });
  expect([status, body]).toEqual([400, expect.stringContaining('X-D1-Bookmark')]);
});

it.each([...new Map(operations.map((call) => [call.path, call]))])(
  '%s names its methods to who calls it with another',
  async (path, call) => {
    const fits = (other: string) => new RegExp(`^${other.replace(/\{\w+\}/g, '[^/]+')}$`);
    const its = operations.filter((other) => fits(other.path).test(path));
    const methods = its.map(({ method }) => method);
    const { status, headers } = await ask(call, {}, { method: 'PROPFIND' });
    expect(status).toBe(405);
    const allowed = new Set(headers.get('Allow')?.split(', '));
    expect(allowed).toEqual(new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : [])]));
  },
);

const fail = () => Promise.reject(new Error('no such table'));
const statement = { bind: () => statement, all: fail, raw: fail, run: fail, first: fail };
const connection = { prepare: () => statement, batch: fail, getBookmark: () => null };
const failing = {
  DB: { ...connection, withSession: () => connection },
  LISTS: { get: fail, getWithMetadata: fail },
  VERSION: undefined,
};

/** Makes the service refuse one of the calls with a status that every interface answers in its own form. */
async function refused(calls: readonly Operation[], status: number): Promise<Response> {
  const reading = calls.find(({ method }) => method === 'GET')!;
  if (status === 405) return ask(reading, {}, { method: 'PROPFIND' });
  if (status === 500) return ask(reading, failing);
  if (status === 413) {
    const writing = calls.find(({ requestBody }) => requestBody)!;
    const bindings = { IDENTITY_SERVICE_ALLOWED_IPS: '127.0.0.1' };
    return ask(writing, bindings, { body: 'x'.repeat(70_000) });
  }
  // Logins are counted by their address first.
  const own = reading.scheme ? {} : { ADDRESS_LIMITER: limiter };
  return ask(reading, { ...own, CALLER_LIMITER: limiter, SYSTEM_LIMITER: limiter });
}

const withoutId = (text: string) => JSON.parse(text.replace(/request id [0-9a-f-]{36}/g, ''));

const kinds = [405, 413, 429, 500].flatMap((status) => {
  const its = operations.filter(
    ({ responses }) => responses[status]?.content?.['application/json'],
  );
  const byInterface = Map.groupBy(its, ({ path }) => interfaceOf(path));
  return Array.from(byInterface, ([name, calls]) => ({ name, status, calls }));
});

it.each(kinds)('the examples of $name $status are what the service answers', async (kind) => {
  vi.spyOn(console, 'error').mockReturnValue();
  const { status, calls } = kind;
  const response = await refused(calls, status);
  expect(response.status).toBe(status);
  const text = await response.text();
  if (status === 500) expect(text).toContain(response.headers.get('X-Request-Id'));
  const answer = withoutId(text);
  for (const { path, method, responses } of calls) {
    const { examples = {} } = responses[status]!.content!['application/json']!;
    const values = Object.values(examples).map(({ value }) => withoutId(JSON.stringify(value)));
    expect([path, method, values]).toEqual([path, method, [answer]]);
  }
});

it('every interface has these answers', () => {
  const names = ['registrar', 'registrant', 'auction', 'internal', 'lists', 'other'];
  expect([...new Set(kinds.map(({ name }) => name))].sort()).toEqual(names.sort());
  expect(kinds.flatMap(({ calls }) => calls).length).toBeGreaterThan(60);
});
