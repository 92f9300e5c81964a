import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openDatabase } from '../../src/base/database/open.ts';
import { startServer } from '../dev/server.ts';
import { basic } from '../support/fixtures.ts';
import { deleteOldEntries } from '../support/following.ts';
import { TestRegistry } from '../tool/tool.ts';
import { type Element, findAll, readXml, textOf, type Written, xml } from './xml.ts';

/** The example of an EPP server, before one sandbox for all commands. It is killed now and then. */

let directory: string;
let sandbox: Awaited<ReturnType<typeof startServer>>;
let door: Server;
let bridge: { child: ChildProcess; address: string };
/** The number of times that the registry answered the bridge with 410: its place in the changes is gone. */
let restarts = 0;
/** What the bridge gets in place of the registry's answers, for the calls whose method and path match. */
let instead: { of: RegExp; status: number; body?: object } | undefined;
/** The bridge is killed at this call that changes something, before the registry gets it or after its answer. */
let death: { call: number; side: 'before' | 'after' } | undefined;

async function startBridge() {
  const { port } = door.address() as AddressInfo;
  const program = path.resolve('test/epp-bridge/bridge.ts');
  const child = spawn(process.execPath, [program, path.join(directory, 'epp.sqlite')], {
    env: {
      ...process.env,
      ...{ REGISTRY: `http://127.0.0.1:${port}`, KEY: 'epp-demo-key', PORT: '0', EVERY_MS: '50' },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  bridge = { child, address: `http://127.0.0.1:${/\d+/.exec(String(line))![0]}` };
}

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'epp-bridge-'));
  sandbox = await startServer('--sandbox', '--persist-to', path.join(directory, 'registry'));
  door = createServer(async (request, response) => {
    const body = await text(request);
    if (instead?.of.test(`${request.method} ${request.url}`)) {
      response.writeHead(instead.status).end(JSON.stringify(instead.body));
      return;
    }
    if (death && request.method !== 'GET') death.call -= 1;
    const { side } = death?.call === 0 ? death : {};
    if (side === 'before') return void bridge.child.kill('SIGKILL');
    const passedOn = /^(content-type|authorization|acting-for|idempotency-key|if-match)$/;
    const headers = Object.entries(request.headers).filter(([name]) => passedOn.test(name));
    const answer = await fetch(sandbox.address + request.url, {
      method: request.method!,
      headers: headers as [string, string][],
      ...(body && { body }),
    });
    if (answer.status === 410) restarts += 1;
    const said = await answer.text();
    if (side === 'after') return void bridge.child.kill('SIGKILL');
    response.writeHead(answer.status).end(said);
  });
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  await startBridge();
}, 120_000);

afterAll(async () => {
  bridge.child.kill();
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

// ---- A registrar

let count = 0;

/** A whole command with a clTRID of its own. */
function command(verb: Written, extension?: Written): string {
  count += 1;
  const added = extension && xml`<extension>${extension}</extension>`;
  return xml`<epp xmlns="urn:ietf:params:xml:ns:epp-1.0"><command>
    ${verb}${added}<clTRID>command-${count}</clTRID>
  </command></epp>`.xml;
}

/** A command about an object. The words are the verb, and the op if there is one. */
function about(object: string, words: string, content: Written, extension?: Written): string {
  const [verb, op] = words.split(' ');
  const inside = xml`<o:${verb} xmlns:o="urn:ietf:params:xml:ns:${object}-1.0">${content}</o:${verb}>`;
  return command(xml`<${verb}${op && xml` op="${op}"`}>${inside}</${verb}>`, extension);
}

interface Parties {
  registrant?: string;
  tech?: string[];
  /** What stands in <reserved>. */
  secret?: string | undefined;
  authInfo?: string;
}

const reserved = (secret?: string) =>
  secret === undefined
    ? undefined
    : xml`<e:reserved xmlns:e="urn:example:ext"><e:pw>${secret}</e:pw></e:reserved>`;
const named = (name: string, more?: Written) => xml`<o:name>${name}</o:name>${more}`;
const password = (value: string) => xml`<o:authInfo><o:pw>${value}</o:pw></o:authInfo>`;

const domain = {
  check: (...names: string[]) => about('domain', 'check', xml`${names.map((name) => named(name))}`),
  info: (name: string) => about('domain', 'info', named(name)),
  create: (
    name: string,
    { registrant = 'ALPHA:TAMM', tech = [], secret, authInfo = 'sesame' }: Parties = {},
  ) =>
    about(
      'domain',
      'create',
      named(
        name,
        xml`<o:registrant>${registrant}</o:registrant>
          ${tech.map((code) => xml`<o:contact type="tech">${code}</o:contact>`)}
          ${password(authInfo)}`,
      ),
      reserved(secret),
    ),
  update: (name: string, { registrant, tech = [], secret, authInfo }: Parties) =>
    about(
      'domain',
      'update',
      named(
        name,
        xml`<o:add>${tech.map((code) => xml`<o:contact type="tech">${code}</o:contact>`)}</o:add>
          <o:chg>
            ${registrant && xml`<o:registrant>${registrant}</o:registrant>`}
            ${authInfo && password(authInfo)}
          </o:chg>`,
      ),
      reserved(secret),
    ),
  renew: (name: string, day: string) =>
    about(
      'domain',
      'renew',
      named(name, xml`<o:curExpDate>${day}</o:curExpDate><o:period unit="y">2</o:period>`),
    ),
  transfer: (name: string, op: string, authInfo?: string) =>
    about(
      'domain',
      `transfer ${op}`,
      named(name, authInfo === undefined ? undefined : password(authInfo)),
    ),
  delete: (name: string) => about('domain', 'delete', named(name)),
};

const coded = (code: string, more?: Written) => xml`<o:id>${code}</o:id>${more}`;
const identity = xml`<e:ident xmlns:e="urn:example:ext" type="priv" cc="EE">38001085718</e:ident>`;
const postal = xml`<o:postalInfo type="int"><o:name>Mari Maasikas</o:name><o:addr>
  <o:street>Aia 1</o:street><o:street>II korrus</o:street><o:city>Tartu</o:city><o:cc>EE</o:cc>
</o:addr></o:postalInfo>`;
const voice = (number: string) => xml`<o:voice>${number}</o:voice>`;

const contact = {
  check: (...codes: string[]) =>
    about('contact', 'check', xml`${codes.map((code) => coded(code))}`),
  info: (code: string) => about('contact', 'info', coded(code)),
  create: (code: string, more = postal, ident: Written | undefined = identity) =>
    about(
      'contact',
      'create',
      coded(
        code,
        xml`${more}${voice('+372.5123456')}<o:email>mari@example.ee</o:email>${password('sesame')}`,
      ),
      ident,
    ),
  update: (code: string, chg: Written, extension?: Written) =>
    about('contact', 'update', coded(code, xml`<o:chg>${chg}</o:chg>`), extension),
  delete: (code: string) => about('contact', 'delete', coded(code)),
  transfer: (code: string, op: string) => about('contact', `transfer ${op}`, coded(code)),
};

const poll = {
  req: () => command(xml`<poll op="req"/>`),
  ack: (id: string) => command(xml`<poll op="ack" msgID="${id}"/>`),
};

/** Sends a command, and returns the answer. */
async function send(document: string, registrar = 'ALPHA') {
  const response = await fetch(`${bridge.address}/${registrar}`, {
    method: 'POST',
    body: document,
  });
  const answer = readXml(await response.text());
  const first = (name: string): Element | undefined => findAll(answer, name)[0];
  return {
    ...{ answer, code: Number(first('result')?.attributes.code) },
    text: (name: string) => textOf(answer, name),
    attribute: (name: string, key: string) => first(name)?.attributes[key],
    each: (name: string, key: string) =>
      findAll(answer, name).map((found) => [found.text, found.attributes[key]]),
  };
}

/** Sends commands, each of ALPHA or of the registrar named, with the code that is expected. */
async function expectCodes(commands: readonly (readonly [string, number, string?])[]) {
  const codes: [string, number][] = [];
  for (const [document, , registrar] of commands)
    codes.push([document, (await send(document, registrar)).code]);
  expect(codes).toEqual(commands.map(([document, code]) => [document, code]));
}

const isRegistered = async (name: string) =>
  (await ask('GET', `/api/v1/internal/domains/${name}`)).status === 200;

// ---- Each command, with its code by RFC 5730 to 5733

test('every command about domains gets its code', async () => {
  const retained = (name: string) => `/api/v1/internal/retained_domains/${name}`;
  await ask('PUT', `${retained('hoitud.ee')}/reserved`, { password: 'avane' });
  await ask('PUT', `${retained('suletud.ee')}/blocked`, {});
  const year = new Date().getUTCFullYear() + 1;
  const day = `${year}${new Date().toISOString().slice(4, 10)}`;
  await expectCodes([
    [domain.check('uus.ee', 'hoitud.ee'), 1000],
    [domain.check(...Array.from({ length: 101 }, (_, n) => `n${n}.ee`)), 2306],
    [domain.info('uus.ee'), 2303],
    [domain.create('uus.ee'), 1000],
    [domain.create('uus.ee'), 2302],
    [domain.create('UUS.ee'), 2302, 'BETA'],
    [domain.create('tammepuu.ee'), 2302],
    [domain.create('hoitud.ee'), 2003],
    [domain.create('hoitud.ee', { secret: 'wrong' }), 2202],
    [domain.create('hoitud.ee', { secret: 'avane' }), 1000],
    [domain.create('suletud.ee'), 2308],
    [domain.create('a_b.ee'), 2005],
    [domain.create('muu.fi'), 2005],
    [domain.create('muu.ee', { registrant: 'NO:BODY' }), 2303],
    [domain.create('muu.ee', { registrant: 'BETA:TAMM' }), 2303],
    [domain.create('muu.ee', { registrant: '' }), 2003],
    [domain.info('UUS.ee'), 1000],
    [domain.info('uus.ee'), 1000, 'BETA'],
    [domain.renew('uus.ee', day), 1000],
    [domain.renew('uus.ee', day), 2306],
    [domain.renew('uus.ee', day), 2201, 'BETA'],
    [domain.renew('muu.ee', day), 2303],
    [domain.update('uus.ee', { tech: ['ALPHA:TAMM'] }), 1000],
    [domain.update('uus.ee', { authInfo: 'open' }), 1000],
    [domain.update('uus.ee', { tech: ['BETA:TAMM'] }), 2303],
    [domain.update('uus.ee', { registrant: 'NO:BODY' }), 2303],
    [domain.update('uus.ee', { tech: [] }), 2201, 'BETA'],
    [domain.update('muu.ee', { tech: [] }), 2303],
    [domain.transfer('uus.ee', 'query'), 2301, 'BETA'],
    [domain.transfer('uus.ee', 'request', 'sesame'), 2202, 'BETA'],
    [domain.transfer('uus.ee', 'request', 'open'), 2106],
    [domain.transfer('uus.ee', 'request', 'open'), 1000, 'BETA'],
    [domain.transfer('uus.ee', 'request', 'open'), 2106, 'BETA'],
    [domain.transfer('uus.ee', 'approve'), 2301],
    [domain.transfer('uus.ee', 'reject'), 2301],
    [domain.transfer('uus.ee', 'cancel'), 2301, 'BETA'],
    [domain.transfer('muu.ee', 'query'), 2303, 'BETA'],
    [domain.transfer('muu.ee', 'request', 'open'), 2303, 'BETA'],
    [domain.delete('uus.ee'), 2201],
    [domain.delete('uus.ee'), 1000, 'BETA'],
    [domain.delete('uus.ee'), 2303, 'BETA'],
    [domain.delete('hoitud.ee'), 1000],
    [domain.create('hoitud.ee', { secret: 'avane' }), 1000],
    [about('domain', 'restore', named('uus.ee')), 2000],
    [
      about(
        'domain',
        'update',
        xml`<o:name>hoitud.ee</o:name><o:add><o:status s="clientHold"/></o:add>`,
      ),
      2306,
    ],
    [about('domain', 'update', xml`<o:name>hoitud.ee</o:name><o:add><o:ns/></o:add>`), 2102],
    [
      about(
        'domain',
        'update',
        xml`<o:name>hoitud.ee</o:name><o:add><o:contact type="billing">ALPHA:TAMM</o:contact></o:add>`,
      ),
      2102,
    ],
  ]);
});

test('every command about contacts gets its code', async () => {
  const long = xml`<o:voice x="12">+372.5123456</o:voice>`;
  const disclose = xml`<o:disclose flag="0"><o:voice/></o:disclose>`;
  const other = xml`<e:ident xmlns:e="urn:example:ext" type="priv" cc="EE">60001019906</e:ident>`;
  const statuses = (part: string) =>
    about(
      'contact',
      'update',
      coded('ALPHA:EPP', xml`<o:${part}><o:status s="clientDeleteProhibited"/></o:${part}>`),
    );
  await expectCodes([
    [contact.check('ALPHA:EPP'), 1000],
    [contact.check(...Array.from({ length: 101 }, (_, n) => `ALPHA:${n}`)), 2306],
    [contact.create('ALPHA:EPP'), 1000],
    [contact.create('ALPHA:EPP'), 2302],
    [contact.create('EPP'), 2302],
    [contact.create('ALPHA:MUU', xml`${postal}${postal}`), 2102],
    [contact.create('ALPHA:MUU', xml`${postal}${long}`), 2102],
    [contact.create('ALPHA:MUU', xml`${postal}${disclose}`), 2308],
    [contact.create('ALPHA:MUU', postal, xml``), 2003],
    [contact.create('a b'), 2005],
    [contact.info('alpha:epp'), 1000],
    [contact.info('ALPHA:EPP'), 2303, 'BETA'],
    [contact.info('EPP'), 2303],
    [contact.update('ALPHA:EPP', voice('+372.5123457')), 1000],
    [contact.update('ALPHA:EPP', voice('7')), 2005],
    [contact.update('ALPHA:EPP', xml``), 2003],
    [contact.update('ALPHA:EPP', voice('+372.5123457')), 2303, 'BETA'],
    [contact.update('ALPHA:EPP', xml``, other), 2308],
    [statuses('add'), 2306],
    [statuses('rem'), 2306],
    ...['query', 'request', 'approve', 'reject', 'cancel'].map(
      (op) => [contact.transfer('ALPHA:EPP', op), 2101] as const,
    ),
    [domain.create('seotud.ee', { tech: ['alpha:epp'] }), 1000],
    [contact.delete('ALPHA:EPP'), 2305],
    [domain.delete('seotud.ee'), 1000],
    [contact.delete('BETA:TAMM'), 2303],
    [contact.delete('ALPHA:EPP'), 1000],
    [contact.delete('ALPHA:EPP'), 2303],
    [contact.info('ALPHA:TAMM'), 2201, 'NOBODY'],
  ]);
});

// ---- What is in the answers

test('a check answers each name and each contact as it was asked', async () => {
  await ask('PUT', '/api/v1/internal/retained_domains/kinni.ee/blocked', {});
  await expectCodes([[domain.create('olemas.ee'), 1000]]);
  const names = await send(
    domain.check('OLEMAS.ee', 'vaba.ee', 'kinni.ee', 'a_b.ee', 'vaba.fi', 'Õun.ee'),
  );
  expect(names.each('name', 'avail')).toEqual([
    ['OLEMAS.ee', '0'],
    ['vaba.ee', '1'],
    ['kinni.ee', '0'],
    ['a_b.ee', '0'],
    ['vaba.fi', '0'],
    ['Õun.ee', '1'],
  ]);
  expect(findAll(names.answer, 'reason').map(({ text }) => text)).toEqual([
    ...['registered', 'blocked', 'invalid_name', 'outside_zones'],
  ]);
  const contacts = await send(
    contact.check('ALPHA:TAMM', 'alpha:vaba', 'vaba', 'BETA:TAMM', 'a b'),
  );
  expect(contacts.each('id', 'avail')).toEqual([
    ['ALPHA:TAMM', '0'],
    ['alpha:vaba', '1'],
    ['vaba', '0'],
    ['BETA:TAMM', '0'],
    ['a b', '0'],
  ]);
});

test('a name is found in Unicode and in punycode, in either case', async () => {
  await expectCodes([
    [domain.create('XN--UUEPEV-EUA.EE'), 1000],
    [domain.info('uuepäev.ee'), 1000],
    [domain.delete('UUEPÄEV.ee'), 1000],
  ]);
});

test('a contact is read as it was written', async () => {
  const created = await send(contact.create('LOE'));
  expect(created.text('id')).toBe('ALPHA:LOE');
  const read = await send(contact.info('ALPHA:LOE'));
  expect(
    ['name', 'street', 'city', 'cc', 'voice', 'email', 'clID', 'pw', 'ident'].map(read.text),
  ).toEqual([
    ...['Mari Maasikas', 'Aia 1, II korrus', 'Tartu', 'EE', '+372.5123456', 'mari@example.ee'],
    ...['ALPHA', 'sesame', '38001085718'],
  ]);
  expect(read.attribute('status', 's')).toBe('ok');
  const addr = xml`<o:postalInfo type="loc"><o:addr><o:city>Elva</o:city><o:cc>EE</o:cc></o:addr></o:postalInfo>`;
  await send(contact.update('ALPHA:LOE', addr));
  const moved = await send(contact.info('ALPHA:LOE'));
  expect(['name', 'street', 'city'].map(moved.text)).toEqual(['Mari Maasikas', undefined, 'Elva']);
});

test('a contact without an address is read with one that EPP allows', async () => {
  await send(
    contact.create(
      'ILMA',
      xml`<o:postalInfo type="loc"><o:name>Mari Maasikas</o:name></o:postalInfo>`,
    ),
  );
  const read = await send(contact.info('ALPHA:ILMA'));
  expect(['street', 'city', 'cc'].map(read.text)).toEqual([undefined, '-', 'EE']);
});

test('there and back, a transfer makes one copy of a contact, with a code that EPP allows', async () => {
  await expectCodes([
    [domain.create('ringi.ee', { registrant: 'ALPHA:TAMM', tech: ['ALPHA:TAMM'] }), 1000],
    [domain.transfer('ringi.ee', 'request', 'sesame'), 1000, 'BETA'],
  ]);
  const copy = (await send(domain.info('ringi.ee'), 'BETA')).text('registrant')!;
  expect(copy).toMatch(/^BETA:.{1,11}$/);
  const codes: (string | undefined)[] = [];
  for (const registrar of ['ALPHA', 'BETA']) {
    await expectCodes([[domain.transfer('ringi.ee', 'request', 'sesame'), 1000, registrar]]);
    codes.push((await send(domain.info('ringi.ee'), registrar)).text('registrant'));
  }
  expect(codes).toEqual(['ALPHA:TAMM', copy]);
});

test('a domain of an earlier day is deleted, and its name goes up for auction', async () => {
  await expectCodes([[domain.create('eilne.ee'), 1000]]);
  await ask('POST', '/sandbox/clock', { advance: 'P2D' });
  await expectCodes([
    [domain.delete('eilne.ee'), 1000],
    [domain.create('eilne.ee'), 2306],
  ]);
});

// ---- Messages

/** Reads a registrar's messages to the end: their texts. */
async function readMessages(registrar: string): Promise<string[]> {
  const texts: string[] = [];
  for (;;) {
    const message = await send(poll.req(), registrar);
    if (message.code === 1300) return texts;
    texts.push(message.answer.children[0]!.children[1]!.children[1]!.text);
    await send(poll.ack(message.attribute('msgQ', 'id')!), registrar);
  }
}

test('the queue counts the messages of the bridge and of the registry, and each is read once', async () => {
  await readMessages('ALPHA');
  await expectCodes([
    [domain.create('viidud.ee'), 1000],
    [domain.transfer('viidud.ee', 'request', 'sesame'), 1000, 'BETA'],
  ]);
  const own = await send(poll.req());
  expect([own.code, own.attribute('msgQ', 'count'), own.text('trStatus')]).toEqual([
    ...[1301, '2', 'serverApproved'],
  ]);
  const acked = await send(poll.ack(own.attribute('msgQ', 'id')!));
  expect([acked.code, acked.attribute('msgQ', 'count')]).toEqual([1000, '1']);
  expect(await readMessages('ALPHA')).toEqual([
    expect.stringMatching(/has replaced ALPHA:TAMM, because domain viidud.ee/),
  ]);
  await expectCodes([
    [poll.req(), 1300],
    [poll.ack('999999'), 2303],
    [poll.ack('own-999999'), 2303],
    [command(xml`<poll op="ack"/>`), 2003],
    [command(xml`<poll op="all"/>`), 2005],
  ]);
});

// ---- What is no command

test('what is no command, or not one of these objects, is refused', async () => {
  await expectCodes([
    ['<epp', 2001],
    ['<epp xmlns="urn:ietf:params:xml:ns:epp-1.0"/>', 2001],
    ['<!DOCTYPE epp [<!ENTITY a "b">]><epp>&a;</epp>', 2001],
    [about('host', 'check', named('ns1.uus.ee')), 2307],
    [command(xml`<check><o:check xmlns:o="urn:example:own-1.0"/></check>`), 2307],
    [about('contact', 'renew', coded('ALPHA:TAMM')), 2000],
    [command(xml`<fly/>`), 2000],
  ]);
});

test.each([
  [2400, 401, {}],
  [2201, 403, {}],
  [2303, 404, {}],
  [2303, 412, {}],
  [2400, 413, {}],
  [2400, 409, { reason: 'of_a_later_release' }],
  [1001, 429, {}],
  [1001, 503, {}],
])('the code is %i for the answer %i %j', async (code, status, body) => {
  instead = { of: /registration$/, status, body };
  const { code: said } = await send(domain.create('teine.ee'));
  instead = undefined;
  expect(said).toBe(code);
  if (code === 1001)
    await vi.waitUntil(async () => (await readMessages('ALPHA')).length > 0, 10_000);
  if (code === 1001) await expectCodes([[domain.delete('teine.ee'), 1000]]);
});

test.each([
  [2400, 401, { code: 2202 }],
  [2400, 429, { code: 2502 }],
  [2400, 500, { code: 2400 }],
])('the code of a query is %i for the answer %i %j', async (code, status, body) => {
  instead = { of: /contacts/, status, body };
  const { code: said } = await send(contact.info('ALPHA:TAMM'));
  instead = undefined;
  expect(said).toBe(code);
});

// ---- Pending commands

test('a command without an answer is pending: it is finished later, and its result is a message', async () => {
  await readMessages('ALPHA');
  const create = domain.create('ootab.ee');
  instead = { of: /./, status: 503 };
  await expectCodes([
    [create, 1001],
    [create, 1001],
    [domain.create('ootab.ee'), 2302],
    [create, 2302, 'BETA'],
    [domain.delete('ootab.ee'), 2304],
    [contact.create('ALPHA:OOTAB'), 1001],
  ]);
  instead = undefined;
  const messages: string[] = [];
  await vi.waitUntil(async () => messages.push(...(await readMessages('ALPHA'))) === 2, 10_000);
  expect(messages).toEqual([
    'domain:create: 1000 Command completed successfully',
    'contact:create: 1000 Command completed successfully',
  ]);
  await expectCodes([
    [create, 2302],
    [domain.info('ootab.ee'), 1000],
    [contact.info('ALPHA:OOTAB'), 1000],
  ]);
});

test.each(['before', 'after'] as const)(
  'a server that is killed %s the registry gets a call finishes the command at its next start',
  async (side) => {
    const name = `katki-${side}.ee`;
    const code = `ALPHA:K-${side}`.toUpperCase();
    const steps: [string, string, () => Promise<boolean>][] = [
      [domain.create(name), 'ALPHA', () => isRegistered(name)],
      [contact.create(code), 'ALPHA', async () => (await send(contact.info(code))).code === 1000],
      [
        domain.update(name, { tech: [code] }),
        'ALPHA',
        async () => (await send(domain.info(name))).text('contact') === code,
      ],
      [
        domain.transfer(name, 'request', 'sesame'),
        'BETA',
        async () => (await send(domain.info(name))).text('clID') === 'BETA',
      ],
      [domain.delete(name), 'BETA', async () => !(await isRegistered(name))],
    ];
    for (const [document, registrar, isDone] of steps) {
      await readMessages(registrar);
      death = { call: 1, side };
      await expect(send(document, registrar)).rejects.toThrow();
      death = undefined;
      await startBridge();
      expect(await readMessages(registrar)).toContainEqual(expect.stringContaining(': 1000 '));
      expect(await isDone(), document).toBe(true);
    }
  },
);

// ---- A fortnight

const days = 14;
/** How often the server is killed, at one of its calls. */
const kills = 6;
const commandsOfDay = 6;
const registrars = ['ALPHA', 'BETA'];
const names = Array.from({ length: 10 }, (_, n) => `sild${n}.ee`);
const kept = 'kinnine.ee';
const demoDomains = ['tammepuu.ee', 'hiiukala.ee'];
const demoContacts = ['ALPHA:TAMM', 'BETA:TAMM'];

/** What is drawn in this fortnight: the seed that a failure names repeats it, given to `fc.assert`. */
let draws: Iterator<number, number>;
const any = <Value>(values: readonly Value[]) => values[draws.next().value % values.length]!;

function newCommand(created: readonly string[], secrets: ReadonlyMap<string, string>) {
  const registrar = any(registrars);
  const name = any([...names, kept]);
  // Now and then, somebody sends a contact of the other registrar.
  const contacts = [...demoContacts, ...created].filter(
    (code) => code.startsWith(registrar) || any([false, false, true]),
  );
  const parties = { registrant: any(contacts), tech: [any(contacts)], secret: secrets.get(name) };
  const document = any([
    () => domain.create(name, parties),
    () => domain.create(name, parties),
    () => domain.create(name, parties),
    () => domain.update(name, parties),
    () => domain.transfer(name, 'request', any(['sesame', 'sesame', 'wrong'])),
    () => domain.delete(name),
    () => contact.create(`K-${count}`),
    // The contacts of the demo data stay, since the operator works with them, too.
    () => contact.delete(any(['ALPHA:NOBODY', ...created])),
  ])();
  return { registrar, document };
}

/** What the operator does beside the server; what is refused is not among the kinds that were done. */
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
      const asked = await ask('POST', '/api/v1/internal/names/check', { names });
      const states: Record<string, unknown>[] = asked.body.results;
      const nameThat = (is: (state: Record<string, unknown>) => unknown) => {
        const those = states.filter(is);
        return those.length > 0 ? String(any(those).name) : undefined;
      };
      // If none of the names is like that, another one is, so that each kind of work is done.
      const there = nameThat(({ registered }) => registered) ?? demoDomains[day % 2]!;
      const free = nameThat(({ available }) => available) ?? `vaba${day}.ee`;
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
    /** The server's place in the changes is gone, as after the archive of an earlier build. */
    async forget() {
      const { env, dispose } = await registry.open();
      await deleteOldEntries(openDatabase(env.DB), '9999-01-01T00:00:00.000Z');
      await dispose();
    },
  };
}

test('an EPP server that lives a fortnight and is killed six times agrees with the registry', async () => {
  const random = fc.noShrink(fc.infiniteStream(fc.nat()));
  const fortnight = fc.asyncProperty(random, async (stream) => {
    draws = stream;
    await liveAFortnight();
  });
  await fc.assert(fortnight, { numRuns: 1, endOnFailure: true });
}, 300_000);

async function liveAFortnight() {
  const operator = newOperator();
  const created: string[] = [];
  const secrets = new Map<string, string>();
  const codes: number[] = [];
  let deaths = 0;
  for (let day = 1; day <= days; day++) {
    // Others are at work, too: the registry, the auction centre and a registrar.
    const at = `/api/v1/internal/retained_domains/${kept}/reserved`;
    await ask('PUT', at, { password: `sesame ${day}` });
    secrets.set(kept, `sesame ${day}`);
    const { body: auctions } = await ask('GET', '/api/v1/auctions');
    for (const { id, domain: name } of auctions) {
      if (!names.includes(name)) continue;
      const { body } = await ask('PATCH', `/api/v1/auctions/${id}`, { status: 'payment_received' });
      secrets.set(name, body.registration_code);
    }
    const alpha = basic('alpha', 'alpha-demo-secret');
    await ask('PUT', '/repp/v1/contacts/ALPHA:TAMM', { contact: { name: `Jaan ${day}` } }, alpha);

    // It is behind when its place in the changes goes.
    if (day % 5 === 0) instead = { of: /changes/, status: 503 };
    await operator.work(day);
    if (instead) await operator.forget();
    instead = undefined;

    // It outlives a day on which it calls less often than that.
    if (deaths < Math.min(kills, day / 2)) {
      death = { call: any([1, 2, 3]), side: deaths % 2 === 0 ? 'before' : 'after' };
    }
    for (let n = 0; n < commandsOfDay; n++) {
      const { registrar, document } = newCommand(created, secrets);
      const answer = await send(document, registrar).catch(() => undefined);
      if (answer) codes.push(answer.code);
      if (answer?.answer && answer.code === 1000 && document.includes('contact-1.0')) {
        const code = answer.text('id');
        if (code) created.push(code);
      }
      if (answer) continue;
      deaths += 1;
      death = undefined;
      await startBridge();
    }
    death = undefined;
    await ask('POST', '/sandbox/clock', { advance: 'P1D' });
  }
  expect(deaths).toBe(kills);
  expect([...operator.done].sort()).toEqual([
    ...['auction start', 'contact update', 'domain remove', 'domain update'],
    ...['history revert', 'retained add', 'retained remove'],
  ]);
  expect(codes.filter((code) => code === 1000).length).toBeGreaterThan(days);
  await vi.waitFor(() => expect(restarts).toBeGreaterThan(0), 10_000);

  const recorded = new Map<string, unknown>();
  for (const name of [...names, kept]) {
    const { status, body } = await ask('GET', `/api/v1/internal/domains/${name}`);
    if (status === 200) recorded.set(name, body.domain);
  }
  using database = new DatabaseSync(path.join(directory, 'epp.sqlite'), { readOnly: true });
  const here = () =>
    new Map(
      database
        .prepare('select key, domain from domains')
        .all()
        .map(({ key, domain }) => [String(key), JSON.parse(String(domain))] as const)
        .filter(([key]) => [...names, kept].includes(key)),
    );
  await vi.waitFor(() => expect(here()).toEqual(recorded), 10_000);
}
