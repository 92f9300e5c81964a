/**
 * Stands for an EPP server: it registers the domains, in a SQLite database of its own, and calls the registry about names,
 * contacts and auctions. It reads orders of registrars from standard input, one JSON object a line, and writes an answer for
 * each, with a result code of EPP (RFC 5730). Then it follows the registry's changes. Run it with Node 24, which
 * `npx node` is in this project:
 *
 *   echo '{"id":"1","do":"create","registrar":"ALPHA","name":"uus.ee","registrant":"ALPHA:TAMM"}' |
 *     REGISTRY=http://localhost:8787 KEY=epp-demo-key npx node test/epp-bridge/bridge.ts epp.sqlite
 *
 * It may be killed at any moment. An order is stored before the registry is called, and its answer after that, in one
 * transaction with what it changed; so whatever has no answer is done again when the program starts, and every call of the
 * registry may be repeated.
 */
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

const { REGISTRY = '', KEY = '' } = process.env;

interface Order {
  /** Unique: an order that comes again gets the same answer. */
  id: string;
  do: keyof typeof commands;
  registrar: string;
  /** The domain that it is about, or those of a check. */
  name?: string;
  names?: string[];
  registrant?: string;
  admin?: string[];
  tech?: string[];
  /** What the registrar presents: the code of an auction's winner, or a password. */
  secret?: string;
  /** For a contact: its code, or what it is created with. */
  contact?: string | object;
}

interface Domain {
  name: string;
  registrar: string;
  registrant: string;
  admin_contacts: string[];
  tech_contacts: string[];
}

/** A result code and its message, what the registrar asked for, and what the order changes here. */
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
  create table if not exists orders (id text primary key, asked text not null, answer text);
  create table if not exists domains (name text primary key, domain text not null);
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

function domainHere(name: string): Domain | undefined {
  const row = find<{ domain: string }>('select domain from domains where name = ?', name);
  return row && JSON.parse(row.domain);
}

function change(sql: string, ...values: (string | null)[]): void {
  database.prepare(sql).run(...values);
}

const keepDomain = (domain: Domain) =>
  change('insert or replace into domains values (?, ?)', domain.name, JSON.stringify(domain));
const dropDomain = (name: string) => change('delete from domains where name = ?', name);

interface Reply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the bodies of some ten calls
  body: any;
}

/** Calls the registry until it answers: a fault may have been a success, so the same call is made again. */
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
const contactPath = ({ contact }: Order) => `/${encodeURIComponent(String(contact))}`;
const registrationPath = (name: string) =>
  internal(`/names/${encodeURIComponent(name)}/registration`);

const done = (effect?: () => void, data?: unknown): Answer => {
  return { code: 1000, message: 'Command completed successfully', effect, data };
};

/** The code of EPP for what stands in the way of a name. */
const codes: Record<string, number> = {
  ...{ registered: 2302, blocked: 2308, in_auction: 2306, code_late: 2306 },
  ...{ code_missing: 2003, password_missing: 2003, code_wrong: 2202, password_wrong: 2202 },
  ...{ dispute_password_missing: 2003, dispute_password_wrong: 2202 },
  ...{ not_yours: 2201, too_many: 2308 },
};

/** What the registry refuses, in the words that it has for it. */
function refused({ status, body }: Reply): Answer {
  const code =
    codes[body.reason] || { 400: 2005, 403: 2201, 404: 2303, 409: 2304, 412: 2303 }[status];
  if (!code) throw new Error(`the registry answers ${status} ${JSON.stringify(body)}`);
  const [[field, [message]]] = Object.entries(body.errors) as [[string, [string]]];
  return { code, message: `${field}: ${message}` };
}

const partiesOf = ({ registrar, registrant, admin, tech }: Order) => {
  return { registrar, registrant, admin_contacts: admin, tech_contacts: tech };
};

/** The registrar's own domain, or the refusal. Whose a domain is, this database says. */
function owned({ name = '', registrar }: Order, use: (domain: Domain) => Promise<Answer>) {
  const domain = domainHere(name);
  if (!domain) return { code: 2303, message: 'Object does not exist' };
  if (domain.registrar !== registrar) return { code: 2201, message: 'Authorization error' };
  return use(domain);
}

const removal = (order: Order, pathOf: (name: string) => string) =>
  owned(order, async ({ name }) => {
    const reply = await call('DELETE', pathOf(name));
    return reply.status === 204 ? done(() => dropDomain(name)) : refused(reply);
  });

/** A call of the registrars' interface in the name of the registrar. An order is one transaction, however often it is sent. */
async function acting(order: Order, method: string, path: string, body?: unknown): Promise<Answer> {
  const headers = { 'Acting-For': order.registrar, 'Idempotency-Key': order.id };
  return (await call(method, `/repp/v1/contacts${path}`, body, headers)).body;
}

const commands = {
  check: async ({ names = [] }) => {
    const reply = await call('POST', internal('/names/check'), { names });
    if (reply.status !== 200) return refused(reply);
    // Whether a domain is registered, this database knows better.
    const results = reply.body.results.map((result: { name: string }) =>
      domainHere(result.name) ? { ...result, available: false, reason: 'registered' } : result,
    );
    return done(undefined, results);
  },
  create: async (order) => {
    const { name = '', secret } = order;
    if (domainHere(name)) return { code: 2302, message: 'Object exists' };
    // EPP has one field for both.
    const asked = { domain: partiesOf(order), registration_code: secret, password: secret };
    const reply = await call('POST', registrationPath(name), asked);
    return reply.status > 201 ? refused(reply) : done(() => keepDomain(reply.body.domain));
  },
  /** Takes a registration of the last day back: the registrar has not paid for it. */
  undo: (order) => removal(order, registrationPath),
  update: (order) =>
    owned(order, async ({ name }) => {
      const asked = { domain: partiesOf(order), password: order.secret };
      const reply = await call('PUT', domainPath(name), asked, { 'If-Match': '*' });
      return reply.status > 201 ? refused(reply) : done(() => keepDomain(reply.body.domain));
    }),
  /** Whoever transfers has shown the domain's password, which only an EPP server has. */
  transfer: async ({ name = '', registrar }) => {
    if (!domainHere(name)) return { code: 2303, message: 'Object does not exist' };
    const reply = await call('POST', `${domainPath(name)}/transfer`, { registrar });
    return reply.status === 200 ? done(() => keepDomain(reply.body.domain)) : refused(reply);
  },
  delete: (order) => removal(order, domainPath),
  /** The domain has run out: its name is put up for auction. */
  release: (order) => removal(order, (name) => `${domainPath(name)}?release=true`),
  'contact:create': (order) => acting(order, 'POST', '', { contact: order.contact }),
  'contact:info': (order) => acting(order, 'GET', contactPath(order)),
  'contact:delete': (order) => acting(order, 'DELETE', contactPath(order)),
} satisfies Record<string, (order: Order) => Answer | Promise<Answer>>;

/** Carries out the orders that have no answer, in the order in which they came. */
async function carryOut(): Promise<void> {
  for (;;) {
    const next = find<{ id: string; asked: string }>(
      'select id, asked from orders where answer is null order by rowid limit 1',
    );
    if (!next) return;
    const order: Order = JSON.parse(next.asked);
    const { effect, ...answer }: Answer = await commands[order.do](order);
    atOnce(() => {
      effect?.();
      const said = JSON.stringify({ id: order.id, ...answer });
      change('update orders set answer = ? where id = ?', said, order.id);
    });
  }
}

/** Learns what others changed: contacts, and domains that the registry's operator has corrected. */
async function follow(): Promise<void> {
  for (;;) {
    const { after } = find<{ after: string }>('select after from position') ?? (await begin());
    const reply = await call('GET', internal(`/changes?after=${encodeURIComponent(after)}`));
    if (reply.status === 410) {
      database.exec('delete from position');
      continue;
    }
    const effects: (() => void)[] = [];
    for (const { subject, key, by } of reply.body.changes) {
      if (subject === 'contact' && find('select 1 from contacts where code = ?', key)) {
        effects.push(await learnContact(key));
      }
      if (subject === 'domain' && !by.startsWith('System: ')) effects.push(await learnDomain(key));
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

/** Keeps an order, and returns its id. What cannot be understood is answered at once, or it would come first for ever. */
function keep(line: string): string {
  let order: Partial<Order> | undefined;
  try {
    order = JSON.parse(line);
  } catch {}
  const { id = line, name = '', registrar } = order ?? {};
  const isOrder =
    [id, name, registrar].every((value) => typeof value === 'string') &&
    Object.hasOwn(commands, order?.do ?? '');
  const refusal = { id: String(id), code: 2001, message: 'Command syntax error' };
  const answer = isOrder ? null : JSON.stringify(refusal);
  change('insert or ignore into orders values (?, ?, ?)', refusal.id, line, answer);
  return refusal.id;
}

const lines = (await text(process.stdin)).split('\n').filter((line) => line !== '');
const ids = atOnce(() => lines.map(keep));
await carryOut();
await follow();
await learnLinked();
for (const id of ids) {
  const { answer } = find<{ answer: string }>('select answer from orders where id = ?', id)!;
  process.stdout.write(`${answer}\n`);
}
