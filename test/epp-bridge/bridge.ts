/**
 * Stands for an EPP server, and knows of the registry what "EPP commands", "Codes of the internal interface" and "Following the
 * changes" in src/worker/http/README.md say. It keeps domains in a SQLite database of its own. It reads commands of registrars from
 * standard input, one JSON object a line, and writes an answer for each, with a result code of EPP (RFC 5730). Then it follows the
 * registry's changes. Run it with Node 24, which `npx node` is in this project:
 *
 *   echo '{"id":"1","do":"create","registrar":"ALPHA","name":"uus.ee","registrant":"ALPHA:TAMM","authInfo":"s3same"}' |
 *     REGISTRY=http://localhost:8787 KEY=epp-demo-key npx node test/epp-bridge/bridge.ts epp.sqlite
 *
 * It may be killed at any moment. A command is stored before the registry is called, and its answer after that, in one transaction
 * with what it changed. A command without an answer is done again at the next start.
 */
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { domainToASCII } from 'node:url';

const { REGISTRY = '', KEY = '' } = process.env;

interface Command {
  /** Unique: a command that comes again gets the same answer. */
  id: string;
  do: keyof typeof commands;
  registrar: string;
  /** The domain that it is about, or those of a check. */
  name?: string;
  names?: string[];
  registrant?: string;
  admin?: string[];
  tech?: string[];
  /** The domain's transfer password, which only this program knows. */
  authInfo?: string;
  /** What the registrar sends in `reserved>pw`. */
  secret?: string;
  /** The code of a contact, or those of a check. */
  contact?: string;
  contacts?: string[];
  /** The fields of a new or changed contact. */
  fields?: object;
  /** The notification that is acknowledged. */
  message?: number;
}

interface Domain {
  name: string;
  punycode_name: string;
  registrar: string;
  registrant: string;
  admin_contacts: string[];
  tech_contacts: string[];
}

/** A result code and its message, what the registrar asked for, and what the command changes here. */
interface Answer {
  code: number;
  message: string;
  data?: unknown;
  effect?: (() => void) | undefined;
}

const database = new DatabaseSync(process.argv[2] ?? 'epp.sqlite');
// A second program on the same database fails here.
database.exec(`
  pragma locking_mode = exclusive;
  pragma journal_mode = wal;
  create table if not exists commands (id text primary key, asked text not null, answer text);
  -- The name is in punycode.
  create table if not exists domains (
    name text primary key, domain text not null, auth_info text not null default '',
    created_at integer not null default (unixepoch()));
  create table if not exists contacts (code text primary key, contact text not null);
  -- The place in the registry's changes up to which everything is known here.
  create table if not exists position (id integer primary key check (id = 1), after text not null);
  begin immediate; commit`);

/** Does all of it or, if the program ends meanwhile, nothing. */
function atOnce<Result>(changes: () => Result): Result {
  database.exec('begin immediate');
  const result = changes();
  database.exec('commit');
  return result;
}

function find<Row>(sql: string, ...values: string[]): Row | undefined {
  return database.prepare(sql).get(...values) as Row | undefined;
}

function change(sql: string, ...values: (string | null)[]): void {
  database.prepare(sql).run(...values);
}

const keyOf = (name = '') => domainToASCII(name.trim());

interface Held {
  domain: Domain;
  authInfo: string;
  isInFirstDay: boolean;
}

function domainHere(name: string | undefined): Held | undefined {
  const row = find<{ domain: string; auth_info: string; is_new: number }>(
    'select domain, auth_info, created_at > unixepoch() - 86400 as is_new from domains where name = ?',
    keyOf(name),
  );
  return (
    row && { domain: JSON.parse(row.domain), authInfo: row.auth_info, isInFirstDay: !!row.is_new }
  );
}

const keepDomain = (domain: Domain) =>
  change(
    'insert into domains (name, domain) values (?, ?) on conflict do update set domain = excluded.domain',
    domain.punycode_name,
    JSON.stringify(domain),
  );
const setAuthInfo = ({ punycode_name: name }: Domain, authInfo: string) =>
  change('update domains set auth_info = ? where name = ?', authInfo, name);
const dropDomain = (name: string) => change('delete from domains where name = ?', keyOf(name));

interface Reply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the bodies of some fifteen calls
  body: any;
}

/** Calls the registry until it answers. Ends the program after eight attempts: the command is done again at the next start. */
async function call(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(REGISTRY + path, {
      method,
      headers: { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch(() => undefined);
    if (response && response.status < 500 && response.status !== 429) {
      const said = await response.text();
      return { status: response.status, body: said && JSON.parse(said) };
    }
    if (attempt === 8) throw new Error(`${method} ${path}: ${response?.status ?? 'no answer'}`);
    await pause(Number(response?.headers.get('Retry-After') ?? attempt) * 1000);
  }
}

const internal = (path: string) => `/api/v1/internal${path}`;
const domainPath = (name: string) => internal(`/domains/${encodeURIComponent(name)}`);
const registrationPath = (name: string) =>
  internal(`/names/${encodeURIComponent(name)}/registration`);

const done = (effect?: () => void, data?: unknown): Answer => {
  return { code: 1000, message: 'Command completed successfully', effect, data };
};
const unknownObject: Answer = { code: 2303, message: 'Object does not exist' };
const unauthorized: Answer = { code: 2201, message: 'Authorization error' };

/** From the table of reasons. */
const codesOfReasons: Record<string, number> = {
  ...{ registered: 2302, blocked: 2308, disputed: 2304, reserved: 2304, in_auction: 2306 },
  ...{ dispute_password_missing: 2003, dispute_password_wrong: 2202 },
  ...{ awaiting_payment: 2304, paid: 2304, not_in_progress: 2304, changed: 2304, late: 2304 },
  ...{ code_missing: 2003, code_wrong: 2202, code_late: 2306 },
  ...{ password_missing: 2003, password_wrong: 2202, not_yours: 2201, too_many: 2308 },
  ...{ unknown_registrar: 2303, unknown_contact: 2303, invalid_name: 2005 },
  ...{ outside_zones: 2005, letter_not_allowed: 2005, invalid: 2005 },
};
const codesOfStatuses: Record<number, number> = { 401: 2200, 403: 2201, 404: 2303, 412: 2303 };

/** What the registry refuses, in its own words. */
function refused({ status, body }: Reply): Answer {
  const byReason = body.reason === undefined ? undefined : (codesOfReasons[body.reason] ?? 2400);
  const [[field, [message]]] = Object.entries(body.errors) as [[string, [string]]];
  return { code: byReason ?? codesOfStatuses[status] ?? 2400, message: `${field}: ${message}` };
}

/** The registrar's own domain, or the refusal. */
function owned(
  { name, registrar }: Command,
  use: (held: Held) => Answer | Promise<Answer>,
): Answer | Promise<Answer> {
  const held = domainHere(name);
  if (!held) return unknownObject;
  return held.domain.registrar === registrar ? use(held) : unauthorized;
}

async function remove(name: string, path: string): Promise<Answer & { reason?: string }> {
  const reply = await call('DELETE', path);
  if (reply.status === 204) return done(() => dropDomain(name));
  return { ...refused(reply), reason: reply.body.reason };
}

/** A call in the name of the registrar. A command is one change, however often it is sent. */
function acting(command: Command, method: string, path: string, body?: unknown): Promise<Reply> {
  const headers = { 'Acting-For': command.registrar };
  const key = { 'Idempotency-Key': command.id };
  return call(method, `/repp/v1${path}`, body, method === 'GET' ? headers : { ...headers, ...key });
}

/** An answer of the registrars' interface, which has a code of EPP. */
async function passOn(...parameters: Parameters<typeof acting>): Promise<Answer> {
  const { code, message, data } = (await acting(...parameters)).body;
  return { code, message, data };
}

const contactPath = ({ contact = '' }: Command) => `/contacts/${encodeURIComponent(contact)}`;

const commands = {
  check: async ({ names = [] }) => {
    const others = names.filter((name) => !domainHere(name));
    const results = names
      .filter((name) => domainHere(name))
      .map((name) => ({ name, avail: false, reason: 'registered' }));
    for (let first = 0; first < others.length; first += 100) {
      const asked = { names: others.slice(first, first + 100) };
      const reply = await call('POST', internal('/names/check'), asked);
      if (reply.status !== 200) return refused(reply);
      for (const { name, available = false, reason } of reply.body.results) {
        results.push({ name, avail: available, reason });
      }
    }
    return done(undefined, results);
  },
  info: ({ name }) => {
    const held = domainHere(name);
    return held ? done(undefined, held.domain) : unknownObject;
  },
  // The period of the domain is not part of this example.
  renew: (command) => owned(command, () => done()),
  create: async ({ name = '', registrar, registrant, admin, tech, secret, authInfo = '' }) => {
    if (domainHere(name)) return { code: 2302, message: 'Object exists' };
    const domain = { registrar, registrant, admin_contacts: admin, tech_contacts: tech };
    const asked = { domain, registration_code: secret, password: secret };
    const reply = await call('POST', registrationPath(name), asked);
    if (reply.status > 201) return refused(reply);
    return done(() => {
      keepDomain(reply.body.domain);
      setAuthInfo(reply.body.domain, authInfo);
    });
  },
  update: (command) =>
    owned(command, async ({ domain }) => {
      const { registrant, admin, tech, secret, authInfo } = command;
      const changed = {
        registrar: domain.registrar,
        registrant: registrant ?? domain.registrant,
        admin_contacts: admin ?? domain.admin_contacts,
        tech_contacts: tech ?? domain.tech_contacts,
      };
      const isSame = JSON.stringify({ ...domain, ...changed }) === JSON.stringify(domain);
      const newAuthInfo = () => authInfo !== undefined && setAuthInfo(domain, authInfo);
      if (isSame) return done(newAuthInfo);
      const asked = { domain: changed, password: secret };
      const reply = await call('PUT', domainPath(domain.name), asked, { 'If-Match': '*' });
      if (reply.status !== 200) return refused(reply);
      return done(() => {
        keepDomain(reply.body.domain);
        newAuthInfo();
      });
    }),
  transfer: async ({ name, registrar, authInfo }) => {
    const held = domainHere(name);
    if (!held) return unknownObject;
    if (held.authInfo !== authInfo) {
      return { code: 2202, message: 'Invalid authorization information' };
    }
    if (held.domain.registrar === registrar) {
      return { code: 2106, message: 'Object is not eligible for transfer' };
    }
    const reply = await call('POST', `${domainPath(held.domain.name)}/transfer`, { registrar });
    return reply.status === 200 ? done(() => keepDomain(reply.body.domain)) : refused(reply);
  },
  delete: (command) =>
    owned(command, async ({ domain: { name }, isInFirstDay }) => {
      if (isInFirstDay) {
        const { reason, ...answer } = await remove(name, registrationPath(name));
        if (reason !== 'late' && reason !== 'changed') return answer;
      }
      const { reason: _, ...answer } = await remove(name, domainPath(name));
      return answer;
    }),
  /** Not a command of EPP: the domain has run out, and its name goes up for auction. */
  expire: (command) =>
    owned(command, async ({ domain: { name } }) => {
      const { reason: _, ...answer } = await remove(name, `${domainPath(name)}?release=true`);
      return answer;
    }),
  'contact:check': async (command) => {
    const results: unknown[] = [];
    for (const contact of command.contacts ?? []) {
      const path = `/contacts/check/${encodeURIComponent(contact)}`;
      const { code, message, data } = await passOn(command, 'GET', path);
      if (code !== 1000) return { code, message };
      const { id, available } = (data as { contact: { id: string; available: boolean } }).contact;
      results.push({ id, avail: available });
    }
    return done(undefined, results);
  },
  'contact:create': (command) => passOn(command, 'POST', '/contacts', { contact: command.fields }),
  'contact:info': (command) => passOn(command, 'GET', contactPath(command)),
  'contact:update': (command) =>
    passOn(command, 'PUT', contactPath(command), { contact: command.fields }),
  'contact:delete': (command) => passOn(command, 'DELETE', contactPath(command)),
  'contact:transfer': () => ({ code: 2101, message: 'Unimplemented command' }),
  'poll:req': async (command) => {
    const { status, body } = await acting(command, 'GET', '/registrar/notifications');
    if (status !== 200) return { code: body.code, message: body.message };
    return Object.keys(body.data).length === 0
      ? { code: 1300, message: 'Command completed successfully; no messages' }
      : {
          code: 1301,
          message: 'Command completed successfully; ack to dequeue',
          data: body.data,
        };
  },
  'poll:ack': (command) =>
    passOn(command, 'PUT', `/registrar/notifications/${command.message}`, {
      notification: { read: true },
    }),
} satisfies Record<string, (command: Command) => Answer | Promise<Answer>>;

/** Carries out the commands that have no answer, in the order in which they came. */
async function carryOut(): Promise<void> {
  for (;;) {
    const next = find<{ id: string; asked: string }>(
      'select id, asked from commands where answer is null order by rowid limit 1',
    );
    if (!next) return;
    const command: Command = JSON.parse(next.asked);
    const { effect, ...answer }: Answer = await commands[command.do](command);
    atOnce(() => {
      effect?.();
      const said = JSON.stringify({ id: command.id, ...answer });
      change('update commands set answer = ? where id = ?', said, command.id);
    });
  }
}

/** Learns what has changed: contacts, and domains that the registry's operator has corrected. */
async function follow(): Promise<void> {
  for (;;) {
    const { after } = find<{ after: string }>('select after from position') ?? (await begin());
    const reply = await call('GET', internal(`/changes?after=${encodeURIComponent(after)}`));
    if (reply.status === 410) {
      database.exec('delete from position');
      continue;
    }
    const effects: (() => void)[] = [];
    for (const { subject, key } of reply.body.changes) {
      if (subject === 'contact' && find('select 1 from contacts where code = ?', key)) {
        effects.push(await learnContact(key));
      }
      if (subject === 'domain') effects.push(await learnDomain(key));
    }
    atOnce(() => {
      for (const effect of effects) effect();
      moveTo(reply.body.after);
    });
    if (!reply.body.more) return;
  }
}

const moveTo = (after: string) => change('insert or replace into position values (1, ?)', after);

/** Takes the place of now, then reads every domain, and forgets the contacts: what changes meanwhile comes again. */
async function begin(): Promise<{ after: string }> {
  const { after } = (await call('GET', internal('/changes?limit=0'))).body;
  const effects: (() => void)[] = [];
  for (const { name } of database.prepare('select name from domains').all()) {
    effects.push(await learnDomain(name as string));
  }
  atOnce(() => {
    for (const effect of effects) effect();
    database.exec('delete from contacts');
    moveTo(after);
  });
  return { after };
}

const linked = `select link.value as code from domains, json_tree(domain) as link
  where link.type = 'text' and (link.key = 'registrant' or link.path in ('$.admin_contacts', '$.tech_contacts'))`;

/** Holds the contacts that domains here refer to, and no others. */
async function learnLinked(): Promise<void> {
  database.exec(`delete from contacts where code not in (${linked})`);
  const missing = database.prepare(`${linked} except select code from contacts`).all();
  for (const { code } of missing) (await learnContact(code as string))();
}

/** Reads the contact as it is now, or its absence. */
async function learnContact(code: string): Promise<() => void> {
  const { status, body } = await call('GET', internal(`/contacts/${encodeURIComponent(code)}`));
  return () =>
    status === 404
      ? change('delete from contacts where code = ?', code)
      : change('insert or replace into contacts values (?, ?)', code, JSON.stringify(body));
}

async function learnDomain(name: string): Promise<() => void> {
  const { status, body } = await call('GET', domainPath(name));
  return () => (status === 404 ? dropDomain(name) : keepDomain(body.domain));
}

/** Keeps a command, and returns its id. What cannot be understood is answered at once, or it would come first for ever. */
function keep(line: string): string {
  let command: Partial<Command> | undefined;
  try {
    command = JSON.parse(line);
  } catch {}
  const { id = line, name = '', registrar } = command ?? {};
  const isCommand =
    [id, name, registrar].every((value) => typeof value === 'string') &&
    Object.hasOwn(commands, command?.do ?? '');
  const refusal = { id: String(id), code: 2001, message: 'Command syntax error' };
  const answer = isCommand ? null : JSON.stringify(refusal);
  change('insert or ignore into commands values (?, ?, ?)', refusal.id, line, answer);
  return refusal.id;
}

const lines = (await text(process.stdin)).split('\n').filter((line) => line !== '');
const ids = atOnce(() => lines.map(keep));
await carryOut();
await follow();
await learnLinked();
for (const id of ids) {
  const { answer } = find<{ answer: string }>('select answer from commands where id = ?', id)!;
  process.stdout.write(`${answer}\n`);
}
