import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../src/base/database/open.ts';
import { startServer } from '../dev/server.ts';
import { basic } from '../support/fixtures.ts';
import { deleteOldEntries } from '../support/following.ts';
import { TestRegistry } from '../tool/tool.ts';

/** The example of an EPP server, for a month of a sandbox, on a machine that is switched off now and then. */

const days = 30;
/** How often the program is killed, at one of its calls. */
const kills = 10;
const ordersOfDay = 6;
const registrars = ['ALPHA', 'BETA'];
const names = Array.from({ length: 10 }, (_, n) => `sild${n}.ee`);
const reserved = 'kinni.ee';
const demoDomains = ['tammepuu.ee', 'hiiukala.ee'];
const demoContacts = ['ALPHA:TAMM', 'BETA:TAMM'];

/** What is drawn in this month: the seed that a failure names repeats it, given to `fc.assert`. */
let draws: Iterator<number, number>;
const any = <Value>(values: readonly Value[]) => values[draws.next().value % values.length]!;

let directory: string;
let sandbox: Awaited<ReturnType<typeof startServer>>;
let door: Server;
/** The number of times that the registry answered the program with 410: its place in the changes is gone. */
let restarts = 0;
/** The answer to the program's next call, in place of the registry's. */
let nextAnswer: { status: number; body: object } | undefined;
/** The program may be killed at this call, before the registry gets it or after the registry has answered it. */
let death: { call: number; side: 'before' | 'after'; kill: () => void } | undefined;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'epp-bridge-'));
  sandbox = await startServer('--sandbox', '--persist-to', path.join(directory, 'registry'));
  door = createServer(async (request, response) => {
    const body = await text(request);
    if (death) death.call -= 1;
    if (nextAnswer) {
      response.writeHead(nextAnswer.status).end(JSON.stringify(nextAnswer.body));
      nextAnswer = undefined;
      return;
    }
    const isLast = death?.call === 0;
    if (isLast && death?.side === 'before') return death.kill();
    const passedOn = /^(content-type|authorization|acting-for|idempotency-key|if-match)$/;
    const headers = Object.entries(request.headers).filter(([name]) => passedOn.test(name));
    const answer = await fetch(sandbox.address + request.url, {
      method: request.method!,
      headers: headers as [string, string][],
      ...(body && { body }),
    });
    if (answer.status === 410) restarts += 1;
    const said = await answer.text();
    if (isLast) return death?.kill();
    response.writeHead(answer.status).end(said);
  });
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
}, 120_000);

afterAll(async () => {
  door.close();
  await sandbox.stop();
  await rm(directory, { recursive: true });
}, 60_000);

async function ask(
  method: string,
  at: string,
  body?: unknown,
  authorization = 'Bearer epp-demo-key',
  // biome-ignore lint/suspicious/noExplicitAny: the bodies of several interfaces
): Promise<{ status: number; body: any }> {
  const response = await fetch(sandbox.address + at, {
    method,
    headers: { 'Content-Type': 'application/json', Authorization: authorization },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const said = await response.text();
  return { status: response.status, body: said && JSON.parse(said) };
}

interface Answer {
  id: string;
  code: number;
  message: string;
  // biome-ignore lint/suspicious/noExplicitAny: what each order asks for
  data?: any;
}

/** Runs the program until it ends or is killed: its answers, or undefined. */
async function run(
  orders: readonly object[],
  dies?: Pick<NonNullable<typeof death>, 'call' | 'side'>,
): Promise<Answer[] | undefined> {
  const program = path.resolve('test/epp-bridge/bridge.ts');
  const { port } = door.address() as AddressInfo;
  const child = spawn(process.execPath, [program, path.join(directory, 'epp.sqlite')], {
    env: { ...process.env, REGISTRY: `http://127.0.0.1:${port}`, KEY: 'epp-demo-key' },
  });
  death = dies && { ...dies, kill: () => child.kill('SIGKILL') };
  child.stdin.end(orders.map((order) => `${JSON.stringify(order)}\n`).join(''));
  const closed = once(child, 'close');
  const [said, problems] = await Promise.all([text(child.stdout), text(child.stderr)]);
  await closed;
  death = undefined;
  if (child.signalCode === 'SIGKILL') return undefined;
  if (problems.includes('Error')) throw new Error(problems);
  return said
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

let count = 0;
function newOrder(created: readonly string[], secrets: ReadonlyMap<string, string>) {
  const registrar = any(registrars);
  const name = any([...names, reserved]);
  const secret = secrets.get(name);
  const contacts = [...demoContacts, ...created];
  const parties = {
    registrant: any(contacts),
    tech: [any(contacts)],
    ...(secret && { secret }),
  };
  const authInfo = any(['sesame', 'sesame', 'wrong']);
  count += 1;
  const order = { id: `order-${count}`, registrar };
  const contact = {
    ...{ name: 'Mari Maasikas', email: 'mari@example.ee', phone: '+372.5123456' },
    ident: { ident: '38001085718', ident_type: 'priv', ident_country_code: 'EE' },
  };
  return any([
    { ...order, do: 'create', name, ...parties, authInfo: 'sesame' },
    { ...order, do: 'create', name, ...parties, authInfo: 'sesame' },
    { ...order, do: 'update', name, ...parties },
    { ...order, do: 'transfer', name, authInfo },
    { ...order, do: any(['delete', 'expire']), name },
    { ...order, do: any(['delete', 'expire']), name },
    { ...order, do: 'contact:create', fields: contact },
    // The contacts of the demo data stay, since the operator works with them, too.
    { ...order, do: 'contact:delete', contact: any(['ALPHA:NOBODY', ...created]) },
  ]);
}

/** What the operator does beside the program; what is refused is not among the kinds that were done. */
function newOperator() {
  const registry = new TestRegistry(path.join(directory, 'registry'));
  const done = new Set<string>();
  async function run(...words: string[]): Promise<string | undefined> {
    const { status, stdout, stderr } = await registry.run([...words, '--json']);
    expect(status, stderr).toBeLessThan(2);
    if (status !== 0) return undefined;
    done.add(words.slice(0, 2).join(' '));
    return JSON.parse(stdout).request_id;
  }
  return {
    done,
    async work(day: number) {
      const states = await Promise.all(
        names.map(async (name) => (await ask('GET', `/api/v1/internal/names/${name}`)).body),
      );
      const nameThat = (is: (state: Record<string, unknown>) => unknown): string | undefined => {
        const those = states.filter(is);
        return those.length > 0 ? any(those).name : undefined;
      };
      // If none of the program's names is like that, another one is, so that each kind of work is done.
      const there = nameThat(({ registered }) => registered) ?? demoDomains[day % 2]!;
      const isFree = ({ registered, reserved, auction }: Record<string, unknown>) =>
        !registered && !reserved && !auction;
      const free = nameThat(isFree) ?? `vaba${day}.ee`;
      const request = await [
        () => run('contact', 'update', any(demoContacts), '--city', `Linn ${day}`),
        () => run('retained', 'add', free, '--status', 'reserved'),
        () => run('domain', 'update', there, '--tech', any(demoContacts)),
        () => run('retained', 'remove', ...names, '--status', 'reserved', '--yes'),
        () => run('auction', 'start', free),
        () => run('domain', 'remove', there, '--yes'),
      ][day % 6]!();
      if (request && day % 4 === 0) await run('history', 'revert', request, '--yes');
    },
    /** The program's place in the changes is gone, as after the archive of an earlier build. */
    async forget() {
      const { env, dispose } = await registry.open();
      await deleteOldEntries(openDatabase(env.DB), '9999-01-01T00:00:00.000Z');
      await dispose();
    },
  };
}

test('an order that cannot be understood is answered, and does not stop those after it', async () => {
  const orders = [
    { id: 'strange', do: 'fly', registrar: 'ALPHA' },
    { id: 'numeric', do: 'create', registrar: 'ALPHA', name: 7 },
    { order: 'none' },
    { id: 'check', do: 'check', registrar: 'ALPHA', names: [reserved] },
  ];
  for (const _ of ['at first', 'again']) {
    const answers = await run(orders);
    expect(answers!.map(({ id, code }) => [id, code])).toEqual([
      ...[
        ['strange', 2001],
        ['numeric', 2001],
        ['{"order":"none"}', 2001],
      ],
      ['check', 1000],
    ]);
  }
});

/** Runs commands, numbered, of a registrar: each with the code that is expected. */
async function expectCodes(commands: readonly (readonly [object, number])[]) {
  count += 1;
  const numbered = commands.map(([command], n) => ({
    ...{ id: `step-${count}-${n}`, registrar: 'ALPHA' },
    ...command,
  }));
  const answers = (await run(numbered))!;
  expect(answers.map(({ code, message }, n) => [commands[n]![0], code, message])).toEqual(
    commands.map(([command, code]) => [command, code, expect.any(String)]),
  );
  return answers.map(({ data }) => data);
}

const bound = { registrant: 'ALPHA:TAMM', authInfo: 'sesame' };

test('every command about domains gets the code of the table', async () => {
  const retained = (name: string) => `/api/v1/internal/retained_domains/${name}`;
  await ask('PUT', `${retained('hoitud.ee')}/reserved`, { password: 'avane' });
  await ask('PUT', `${retained('suletud.ee')}/blocked`, {});
  const uus = { name: 'uus.ee' };
  const hoitud = { do: 'create', name: 'hoitud.ee', ...bound };
  const data = await expectCodes([
    [{ do: 'create', ...uus, ...bound }, 1000],
    [{ do: 'create', ...uus, ...bound }, 2302],
    [hoitud, 2003],
    [{ ...hoitud, secret: 'wrong' }, 2202],
    [{ ...hoitud, secret: 'avane' }, 1000],
    [{ ...hoitud, name: 'suletud.ee' }, 2308],
    [{ ...hoitud, name: 'a_b.ee' }, 2005],
    [{ ...hoitud, name: 'muu.ee', registrant: 'NO:BODY' }, 2303],
    [{ do: 'check', names: ['UUS.ee', 'muu.ee', 'suletud.ee', 'a_b.ee', 'muu.fi'] }, 1000],
    [{ do: 'info', ...uus }, 1000],
    [{ do: 'info', name: 'muu.ee' }, 2303],
    [{ do: 'renew', ...uus }, 1000],
    [{ do: 'renew', ...uus, registrar: 'BETA' }, 2201],
    [{ do: 'update', ...uus, tech: ['ALPHA:TAMM'] }, 1000],
    [{ do: 'update', ...uus, registrar: 'BETA', tech: [] }, 2201],
    [{ do: 'update', ...uus, registrant: 'NO:BODY' }, 2303],
    [{ do: 'update', name: 'muu.ee', tech: [] }, 2303],
    [{ do: 'transfer', ...uus, registrar: 'BETA', authInfo: 'wrong' }, 2202],
    [{ do: 'transfer', ...uus, registrar: 'BETA', authInfo: 'sesame' }, 1000],
    [{ do: 'transfer', ...uus, registrar: 'BETA', authInfo: 'sesame' }, 2106],
    [{ do: 'transfer', name: 'muu.ee', registrar: 'BETA', authInfo: 'sesame' }, 2303],
    [{ do: 'delete', ...uus }, 2201],
    [{ do: 'delete', ...uus, registrar: 'BETA' }, 1000],
    [{ do: 'delete', ...uus }, 2303],
    [{ do: 'expire', name: 'hoitud.ee' }, 2304],
    [{ do: 'delete', name: 'hoitud.ee' }, 1000],
    [{ ...hoitud, secret: 'avane' }, 1000],
    [{ do: 'create', name: 'lahkub.ee', ...bound }, 1000],
    [{ do: 'expire', name: 'lahkub.ee' }, 1000],
    [{ do: 'create', name: 'lahkub.ee', ...bound }, 2306],
  ]);
  expect(data[8]).toEqual([
    { name: 'UUS.ee', avail: false, reason: 'registered' },
    { name: 'muu.ee', avail: true },
    { name: 'suletud.ee', avail: false, reason: 'blocked' },
    { name: 'a_b.ee', avail: false, reason: 'invalid_name' },
    { name: 'muu.fi', avail: false, reason: 'outside_zones' },
  ]);
});

test('a domain of an earlier day is deleted, and not taken back', async () => {
  const domain = { name: 'eilne.ee', ...bound };
  await expectCodes([[{ do: 'create', ...domain }, 1000]]);
  await ask('POST', '/sandbox/clock', { advance: 'P2D' });
  await expectCodes([[{ do: 'delete', name: domain.name }, 1000]]);
  expect((await ask('GET', `/api/v1/internal/domains/${domain.name}`)).status).toBe(404);
});

test('every command about contacts and messages gets the code of the table', async () => {
  const fields = {
    ...{ id: 'EPP', name: 'Mari Maasikas', email: 'mari@example.ee', phone: '+372.5123456' },
    ident: { ident: '38001085718', ident_type: 'priv', ident_country_code: 'EE' },
  };
  const contact = 'ALPHA:EPP';
  const data = await expectCodes([
    [{ do: 'contact:create', fields }, 1000],
    [{ do: 'contact:create', fields }, 2302],
    [{ do: 'contact:check', contacts: [contact, 'ALPHA:VABA'] }, 1000],
    [{ do: 'contact:info', contact }, 1000],
    [{ do: 'contact:info', contact, registrar: 'BETA' }, 2303],
    [{ do: 'contact:update', contact, fields: { phone: '+372.5123457' } }, 1000],
    [{ do: 'contact:update', contact, fields: { phone: '7' } }, 2005],
    [{ do: 'contact:transfer', contact }, 2101],
    [{ do: 'contact:delete', contact: 'BETA:TAMM' }, 2303],
    [{ do: 'contact:delete', contact }, 1000],
    [{ do: 'contact:delete', contact }, 2303],
    [{ do: 'poll:req' }, 1301],
    [{ do: 'poll:ack', message: 999_999 }, 2303],
    [{ do: 'contact:info', contact, registrar: 'NOBODY' }, 2201],
  ]);
  expect(data[0]).toEqual({ contact: { id: contact } });
  expect(data[2]).toEqual([
    { id: contact, avail: false },
    { id: 'ALPHA:VABA', avail: true },
  ]);
  await expectCodes([[{ do: 'poll:ack', message: data[11].id }, 1000]]);
  await expectCodes([[{ do: 'poll:req', registrar: 'BETA' }, 1301]]);
});

test.each([
  [2200, 401, {}],
  [2201, 403, {}],
  [2303, 404, {}],
  [2303, 412, {}],
  [2400, 413, {}],
  [2400, 409, { reason: 'of_a_later_release' }],
])('the code is %i for the answer %i %j', async (code, status, more) => {
  nextAnswer = { status, body: { errors: { base: ['no'] }, ...more } };
  await expectCodes([[{ do: 'create', name: 'teine.ee', ...bound }, code]]);
});

test('an EPP server that lives a month and is killed ten times agrees with the registry', async () => {
  const random = fc.noShrink(fc.infiniteStream(fc.nat()));
  const month = fc.asyncProperty(random, async (stream) => {
    draws = stream;
    await liveAMonth();
  });
  await fc.assert(month, { numRuns: 1, endOnFailure: true });
}, 1_200_000);

async function liveAMonth() {
  const operator = newOperator();
  const created: string[] = [];
  const secrets = new Map<string, string>();
  const codes: number[] = [];
  let deaths = 0;
  for (let day = 1; day <= days; day++) {
    // Others are at work, too: the registry, the auction centre and a registrar.
    const at = `/api/v1/internal/retained_domains/${reserved}/reserved`;
    await ask('PUT', at, { password: `sesame ${day}` });
    secrets.set(reserved, `sesame ${day}`);
    const { body: auctions } = await ask('GET', '/api/v1/auctions');
    for (const { id, domain } of auctions) {
      if (!names.includes(domain)) continue;
      const { body } = await ask('PATCH', `/api/v1/auctions/${id}`, { status: 'payment_received' });
      secrets.set(domain, body.registration_code);
    }
    const alpha = basic('alpha', 'alpha-demo-secret');
    await ask('PUT', '/repp/v1/contacts/ALPHA:TAMM', { contact: { name: `Jaan ${day}` } }, alpha);

    await operator.work(day);
    if (day % 10 === 0) await operator.forget();

    const orders = Array.from({ length: ordersOfDay }, () => newOrder(created, secrets));
    // It outlives a day on which it calls less often than that.
    if (deaths < Math.min(kills, day / 2)) {
      const side = deaths % 2 === 0 ? 'before' : 'after';
      deaths += (await run(orders, { call: any([1, 2, 3]), side })) ? 0 : 1;
    }
    const answers = await run(orders);
    expect(answers).toHaveLength(orders.length);
    for (const { code, data } of answers!) {
      codes.push(code);
      if (data?.contact?.id) created.push(data.contact.id);
    }
    await ask('POST', '/sandbox/clock', { advance: 'P1D' });
  }
  expect(deaths).toBe(kills);
  expect(restarts).toBeGreaterThan(0);
  expect([...operator.done].sort()).toEqual([
    ...['auction start', 'contact update', 'domain remove', 'domain update'],
    ...['history revert', 'retained add', 'retained remove'],
  ]);
  expect(codes.filter((code) => code === 1000).length).toBeGreaterThan(days);
  await run([]);

  using database = new DatabaseSync(path.join(directory, 'epp.sqlite'));
  const here = new Map(
    database
      .prepare('select name, domain from domains')
      .all()
      .map(({ name, domain }) => [name, JSON.parse(String(domain))]),
  );
  for (const name of [...names, reserved]) {
    const { status, body } = await ask('GET', `/api/v1/internal/domains/${name}`);
    expect(here.get(name), name).toEqual(status === 404 ? undefined : body.domain);
  }
  const held = database.prepare('select code, contact from contacts').all();
  expect(held.length).toBeGreaterThan(0);
  for (const { code, contact } of held) {
    const { body } = await ask('GET', `/api/v1/internal/contacts/${code}`);
    expect(JSON.parse(String(contact))).toEqual(body);
  }
}
