import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { auctions, contacts } from '../../drizzle/schema.ts';
import { openDatabase } from '../../src/base/database/open.ts';
import type { Env } from '../../src/base/env.ts';
import { addAuction, addContact, addRegistrar, newContact } from '../support/fixtures.ts';
import { migrate } from '../support/local-data.ts';
import { makeDataDirectory } from './data-directory.ts';
import { brokenInvariants, type Planted } from './invariants.ts';

const writes = 1_000;
/** Acknowledged writes after which the server is killed, with the others under way. */
const killAfter = 300;
const updated = 150;
const deleted = 100;
const reported = 50;
const inProgress = 5;

type Directory = Awaited<ReturnType<typeof makeDataDirectory>>;

let data: Directory;
let server: ChildProcess | undefined;
let registrar: Awaited<ReturnType<typeof addRegistrar>>;
let planted: Required<Planted>;

beforeAll(async () => {
  data = await makeDataDirectory();
  await migrate(data.state);
  await withData(async (env) => {
    registrar = await addRegistrar(env);
    planted = await plantRows(env);
  });
}, 120_000);

afterAll(async () => {
  await end('SIGKILL');
  await data.remove();
});

async function withData<Result>(use: (env: Env) => Promise<Result>): Promise<Result> {
  const { env, dispose } = await data.open();
  try {
    return await use(env);
  } finally {
    await dispose();
  }
}

/** Copies of one contact, by one statement: 250 builders would take longer than the test. */
async function plantRows(env: Env) {
  const db = openDatabase(env.DB);
  await addContact(env, registrar, { code: `${registrar.code}:P0`, number: 1 });
  const columns =
    'registrar_id, name, name_key, email, email_key, phone, ident, ident_key, ident_type, ident_country_code, auth_info, created_at, updated_at';
  await env.DB.prepare(
    `with recursive copy (n) as (select 1 union all select n + 1 from copy where n < ?)
     insert into contacts (uuid, code, number, ${columns})
     select lower(hex(randomblob(16))), ? || n, n + 1, ${columns} from copy, contacts where contacts.number = 1`,
  )
    .bind(updated + deleted - 1, `${registrar.code}:P`)
    .run();
  for (let count = 0; count < reported + inProgress; count++) await addAuction(env);
  return {
    contacts: await db.select().from(contacts),
    auctions: await db.select().from(auctions),
  };
}

/** `npm start` on the data, in a group of processes of its own, so that all of them can be killed at once. */
async function start(): Promise<URL> {
  const options = ['--no-demo', '--port', '0', '--ip', '127.0.0.1', '--persist-to', data.state];
  const child = spawn(process.execPath, ['src/dev/start/index.ts', ...options], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  server = child;
  return new Promise((resolve, reject) => {
    let printed = '';
    const read = (chunk: Buffer) => {
      printed += chunk;
      const [, address] = /^ +Registry Edge +\S*?(http:\/\/[\w.:]+)\/\n/m.exec(printed) ?? [];
      if (address) resolve(new URL(address));
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('exit', (status) => reject(new Error(`npm start ended with ${status}: ${printed}`)));
  });
}

async function end(signal: NodeJS.Signals): Promise<void> {
  if (!server?.pid || server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, 'close');
  process.kill(-server.pid, signal);
  await ended;
  server = undefined;
}

interface Write {
  key: string;
  method: string;
  path: string;
  body?: object;
  /** Whether the database has what the write is to leave there. */
  isIn: (rows: Rows) => boolean;
}

interface Rows {
  contacts: Map<string, typeof contacts.$inferSelect>;
  auctions: Map<string, typeof auctions.$inferSelect>;
}

/** Creations, updates, deletions and reports, each about a row of its own, in a mixed order. */
function allWrites(): Write[] {
  const prefix = `${registrar.code}:`;
  const all = Array.from({ length: writes }, (_, index): Write => {
    const key = `write-${index}`;
    if (index < updated) {
      const [code, phone] = [`${prefix}P${index}`, `+372.${index + 1}`];
      const isIn = ({ contacts }: Rows) => contacts.get(code)?.phone === phone;
      return {
        key,
        method: 'PUT',
        path: `/repp/v1/contacts/${code}`,
        body: { contact: { phone } },
        isIn,
      };
    }
    if (index < updated + deleted) {
      const code = `${prefix}P${index}`;
      const isIn = ({ contacts }: Rows) => !contacts.has(code);
      return { key, method: 'DELETE', path: `/repp/v1/contacts/${code}`, isIn };
    }
    const report = index - updated - deleted;
    if (report < reported) {
      const uuid = planted.auctions[report]!.uuid;
      const isIn = ({ auctions }: Rows) => auctions.get(uuid)?.status === 'payment_received';
      return {
        key,
        method: 'PATCH',
        path: `/api/v1/auctions/${uuid}`,
        body: { status: 'payment_received' },
        isIn,
      };
    }
    const contact = newContact({ id: `K${index}`, name: `Name ${index}` });
    const isIn = ({ contacts }: Rows) => contacts.get(`${prefix}K${index}`)?.name === contact.name;
    return { key, method: 'POST', path: '/repp/v1/contacts', body: { contact }, isIn };
  });
  // 1,009 and 1,000 have no common divisor: every write comes once.
  return all.map((_, index) => all[(index * 1_009) % writes] as Write);
}

/** The status of the answer; undefined if there was none. */
function send(url: URL, agent: http.Agent, { method, path, body, key }: Write) {
  const address = { hostname: url.hostname, port: url.port };
  return new Promise<number | undefined>((resolve) => {
    const headers = {
      Authorization: registrar.authorization,
      'Idempotency-Key': key,
      ...(body && { 'Content-Type': 'application/json' }),
    };
    const request = http.request({ ...address, method, path, headers, agent }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.complete ? response.statusCode : undefined));
      response.on('error', () => resolve(undefined));
    });
    request.on('error', () => resolve(undefined));
    request.end(body && JSON.stringify(body));
  });
}

async function rowsOf(env: Env): Promise<Rows> {
  const db = openDatabase(env.DB);
  const byCode = (await db.select().from(contacts)).map((row) => [row.code, row] as const);
  const byUuid = (await db.select().from(auctions)).map((row) => [row.uuid, row] as const);
  return { contacts: new Map(byCode), auctions: new Map(byUuid) };
}

it('keeps every acknowledged write and no half of another when it is killed among 1,000, and does the rest once', async () => {
  const all = allWrites();
  const acknowledged = new Set<Write>();
  const agent = new http.Agent({ keepAlive: true, maxSockets: 200 });
  let url = await start();
  await Promise.all(
    all.map(async (write) => {
      const status = await send(url, agent, write);
      if (status !== undefined) expect(status, `${write.method} ${write.path}`).toBe(200);
      if (status === undefined) return;
      acknowledged.add(write);
      if (acknowledged.size === killAfter) await end('SIGKILL');
    }),
  );
  agent.destroy();
  expect(acknowledged.size).toBeGreaterThanOrEqual(killAfter);
  expect(acknowledged.size).toBeLessThan(writes);

  await withData(async (env) => {
    const rows = await rowsOf(env);
    const lost = [...acknowledged].filter(({ isIn }) => !isIn(rows));
    expect(lost.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
    expect(await brokenInvariants(env, planted)).toEqual([]);
  });

  url = await start();
  const second = new http.Agent({ keepAlive: true, maxSockets: 20 });
  // A client repeats each write that was not acknowledged, and now and then one that was, which must not take effect twice.
  const again = all.filter((write, index) => !acknowledged.has(write) || index % 10 === 0);
  const statuses = await Promise.all(again.map((write) => send(url, second, write)));
  expect(new Set(statuses)).toEqual(new Set([200]));
  second.destroy();
  const list = await (await fetch(new URL('/repp/v1/auctions', url))).json();
  const names = planted.auctions.slice(reported).map(({ name }) => name);
  expect(list).toEqual({
    auctions: names.sort().map((name) => ({ domain_name: name, punycode_domain_name: name })),
    count: inProgress,
  });
  await end('SIGTERM');

  await withData(async (env) => {
    const rows = await rowsOf(env);
    expect(all.filter(({ isIn }) => !isIn(rows))).toEqual([]);
    expect(rows.contacts.size).toBe(updated + writes - updated - deleted - reported);
    expect(await brokenInvariants(env, planted)).toEqual([]);
  });
}, 240_000);
