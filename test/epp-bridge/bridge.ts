/**
 * An EPP server (RFC 5730 to 5733) in front of the registry, of which it knows what "EPP commands", "Codes of the internal
 * interface" and "Following the changes" in src/worker/http/README.md say. It keeps domains, without name servers, in a SQLite
 * database of its own. Sessions (TLS, <login>, frames) are left out: it takes a document by HTTP, under the registrar's code.
 * `npx node` runs it in this project:
 *
 *   REGISTRY=http://localhost:8787 KEY=epp-demo-key PORT=7000 npx node test/epp-bridge/bridge.ts epp.sqlite
 *   curl --data-binary @create.xml http://localhost:7000/ALPHA
 *
 * It may be killed at any moment. A command that changes something is saved as pending before the registry is called, and finished in
 * one transaction with what it changed. A pending command is repeated until the registry answers, also after the next start, and its
 * result then waits in the registrar's poll queue.
 */

import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { domainToASCII } from 'node:url';
import { type Element, findAll, readXml, textOf, Written, xml } from './xml.ts';

const { REGISTRY, KEY, PORT = '7000', EVERY_MS = '1000' } = process.env;

const database = new DatabaseSync(process.argv[2] ?? 'epp.sqlite');
database.exec(`
  create table if not exists domains (key text primary key, domain text, auth_info text, created_at text, expires_at text);
  create table if not exists pending (object text primary key, id text, registrar text, document text, at text);
  create table if not exists messages (id integer primary key autoincrement, registrar text, text text, data text, at text);
  create table if not exists place (only_row integer primary key, after text);
`);
const rows = (sql: string, ...values: (string | null)[]) =>
  database.prepare(sql).all(...values) as Record<string, string>[];

function inTransaction(work: () => void): void {
  database.exec('begin immediate');
  try {
    work();
    database.exec('commit');
  } catch (error) {
    database.exec('rollback');
    throw error;
  }
}

// ---- The registry's answers

/** The command is not done, and this is its code. */
class Refusal extends Error {
  readonly code: number;
  readonly reason: string | undefined;
  constructor(code: number, message: string, reason?: string) {
    super(message);
    this.code = code;
    this.reason = reason;
  }
}

/** The registry was not reached, or is busy: what the call asks for may have been done or not. */
class NoAnswer extends Error {}

const reasonsOf: Record<number, string> = {
  2003: 'dispute_password_missing code_missing password_missing',
  2005: 'invalid_name outside_zones letter_not_allowed invalid',
  2201: 'not_yours',
  2202: 'dispute_password_wrong code_wrong password_wrong',
  2302: 'registered',
  2303: 'unknown_registrar unknown_contact',
  2304: 'disputed reserved awaiting_payment paid not_in_progress changed late',
  2306: 'in_auction code_late',
  2308: 'blocked too_many',
};
const codeOfReason = new Map(
  Object.entries(reasonsOf).flatMap(([code, reasons]) =>
    reasons.split(' ').map((reason) => [reason, Number(code)] as const),
  ),
);
const codeOfStatus = new Map([
  [403, 2201],
  [404, 2303],
  [412, 2303],
]);

/** No call goes out before this time, which a `Retry-After` names. */
let busyUntil = 0;

// biome-ignore lint/suspicious/noExplicitAny: the bodies of several interfaces
type Reply = { status: number; body: any };

async function call(
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Reply> {
  if (Date.now() < busyUntil) throw new NoAnswer();
  try {
    const response = await fetch(REGISTRY + path, {
      method,
      headers: { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(10_000),
    });
    const { status } = response;
    busyUntil = Date.now() + 1000 * (Number(response.headers.get('Retry-After')) || 0);
    if (status === 429 || status >= 500) throw new NoAnswer();
    const answer = await response.text();
    return { status, body: answer ? JSON.parse(answer) : {} };
  } catch {
    throw new NoAnswer();
  }
}

/** A call of names/… and domains/…. */
async function internal(
  method: string,
  path: string,
  body?: object,
  headers?: Record<string, string>,
): Promise<Reply['body']> {
  const reply = await call(method, `/api/v1/internal/${path}`, body, headers);
  if (reply.status < 300) return reply.body;
  const { reason, errors = {} } = reply.body;
  const code = reason ? codeOfReason.get(reason) : codeOfStatus.get(reply.status);
  const [sentence] = Object.values(errors).flat();
  throw new Refusal(code ?? 2400, String(sentence ?? 'Command failed'), reason);
}

/** A call below /repp/v1 for the command's registrar. */
async function repp(
  { registrar, id }: Command,
  method: string,
  path: string,
  body?: object,
): Promise<Reply['body']> {
  const key = method !== 'GET' && { 'Idempotency-Key': `"${id}"` };
  const reply = await call(method, `/repp/v1/${path}`, body, { 'Acting-For': registrar, ...key });
  if (reply.status === 401) throw new Refusal(2400, 'Command failed');
  if (reply.body.code !== 1000) throw new Refusal(reply.body.code, reply.body.message);
  return reply.body.data;
}

// ---- Commands

interface Command {
  /** The svTRID. */
  id: string;
  registrar: string;
  /** The document as it came: the same command has the same, with its clTRID. */
  document: string;
  at: string;
  clTRID: string | undefined;
  /** For example `domain:create`, or `poll`. */
  name: string;
  op: string | undefined;
  /** The element of the object, for example <domain:create>. */
  body: Element;
  extension: Element | undefined;
}

interface Answer {
  code: number;
  message?: string;
  data?: Written;
  queue?: Written | undefined;
  extension?: Written;
  /** Writes what the command changed. */
  save?: () => void;
}

type Handler = (command: Command) => Answer | Promise<Answer>;

function required(element: Element | undefined, name: string): string {
  const found = textOf(element, name);
  if (!found) throw new Refusal(2003, `Required parameter missing [${name}]`);
  return found;
}

/** Refuses what would be left undone. */
function unsupported(element: Element | undefined, code: number, ...names: string[]): void {
  const name = names.find((each) => findAll(element, each).length > 0);
  if (name) throw new Refusal(code, `${name} is not supported`);
}

// ---- Domains of its own

interface Domain {
  name: string;
  registrar: string;
  registrant: string;
  admin_contacts: string[];
  tech_contacts: string[];
}

const keyOf = (name: string) => domainToASCII(name.toLowerCase()) || name;
const find = (name: string) => rows('select * from domains where key = ?', keyOf(name))[0];
const path = encodeURIComponent;

/** The command's domain. Only its own registrar may change it. */
function existing(command: Command, isForItsRegistrar = true) {
  const row = find(required(command.body, 'name'));
  if (!row) throw new Refusal(2303, 'Object does not exist');
  const domain: Domain = JSON.parse(row.domain!);
  if (isForItsRegistrar && domain.registrar !== command.registrar) {
    throw new Refusal(2201, 'Authorization error');
  }
  return { row, domain };
}

function save(
  domain: Domain & { punycode_name: string },
  authInfo: string | null = null,
  createdAt = new Date().toISOString(),
  expiresAt = yearsAfter(createdAt),
): void {
  rows(
    `insert into domains values (?1, ?2, ifnull(?3, ?4), ?5, ?6)
     on conflict do update set domain = ?2, auth_info = ifnull(?3, auth_info)`,
    ...[domain.punycode_name, JSON.stringify(domain), authInfo],
    ...[randomBytes(8).toString('hex'), createdAt, expiresAt],
  );
}

function yearsAfter(from: string, years = 1): string {
  const date = new Date(from);
  date.setUTCFullYear(date.getUTCFullYear() + years);
  return date.toISOString();
}

function periodOf({ body }: Command): number {
  const [period] = findAll(body, 'period');
  const years = Number(period?.text ?? 1);
  if ((period && period.attributes.unit !== 'y') || !(years >= 1 && years <= 10)) {
    throw new Refusal(2004, 'Parameter value range error [period]');
  }
  return years;
}

const contactsOf = (element: Element | undefined, type: string) =>
  findAll(element, 'contact').flatMap(({ attributes, text: code }) => {
    if (!/^(admin|tech)$/.test(attributes.type!)) throw new Refusal(2102, 'Unimplemented option');
    return attributes.type === type ? [code.trim().toUpperCase()] : [];
  });

/** A transfer copies the contacts of a domain, so nobody may link those of others. */
async function askWhose(command: Command, contacts: readonly string[]): Promise<void> {
  for (const code of new Set(contacts)) await repp(command, 'GET', `contacts/${path(code)}`);
}

const secretOf = ({ extension }: Command) => textOf(findAll(extension, 'reserved')[0], 'pw');

// ---- What changes nothing

const queries: Record<string, Handler> = {
  async 'domain:check'({ body }) {
    const names = findAll(body, 'name').map((name) => name.text.trim());
    if (names.length > 100) throw new Refusal(2306, 'Parameter value policy error [name]');
    const { results } = await internal('POST', 'names/check', { names });
    const checked = names.map((name, n) => {
      const isHere = find(name) || pendingOf(`domain:${keyOf(name)}`);
      const { available, reason } = isHere
        ? { available: false, reason: 'registered' }
        : results[n];
      return xml`<domain:cd>
        <domain:name avail="${available ? 1 : 0}">${name}</domain:name>
        ${reason && xml`<domain:reason>${reason}</domain:reason>`}
      </domain:cd>`;
    });
    const data = xml`<domain:chkData xmlns:domain="urn:ietf:params:xml:ns:domain-1.0">${checked}</domain:chkData>`;
    return { code: 1000, data };
  },

  'domain:info'(command) {
    const { row, domain } = existing(command, false);
    const isOwn = domain.registrar === command.registrar;
    const [, verb] = pendingOf(`domain:${row.key}`)?.name.split(':') ?? [];
    const status = verb ? `pending${verb[0]!.toUpperCase()}${verb.slice(1)}` : 'ok';
    const contacts = (type: string, codes: string[]) =>
      codes.map((code) => xml`<domain:contact type="${type}">${code}</domain:contact>`);
    const data = xml`<domain:infData xmlns:domain="urn:ietf:params:xml:ns:domain-1.0">
      <domain:name>${domain.name}</domain:name>
      <domain:roid>${row.key!.replaceAll(/\W/g, '_')}-DEMO</domain:roid>
      <domain:status s="${status}"/>
      <domain:registrant>${domain.registrant}</domain:registrant>
      ${contacts('admin', domain.admin_contacts)}
      ${contacts('tech', domain.tech_contacts)}
      <domain:clID>${domain.registrar}</domain:clID>
      <domain:crDate>${row.created_at}</domain:crDate>
      <domain:exDate>${row.expires_at}</domain:exDate>
      ${isOwn && xml`<domain:authInfo><domain:pw>${row.auth_info}</domain:pw></domain:authInfo>`}
    </domain:infData>`;
    return { code: 1000, data };
  },

  async 'contact:check'(command) {
    const contacts = findAll(command.body, 'id').map((id) => id.text.trim());
    if (contacts.length > 100) throw new Refusal(2306, 'Parameter value policy error [id]');
    const { results } = await repp(command, 'POST', 'contacts/check', { contacts });
    const checked = contacts.map((asked, n) => {
      const { id, available, reason } = results[n];
      const isAsked = id === asked.toUpperCase();
      const why = reason ?? (!isAsked && `It would be ${id}`);
      return xml`<contact:cd>
        <contact:id avail="${available && isAsked ? 1 : 0}">${asked}</contact:id>
        ${why && xml`<contact:reason>${why}</contact:reason>`}
      </contact:cd>`;
    });
    const data = xml`<contact:chkData xmlns:contact="urn:ietf:params:xml:ns:contact-1.0">${checked}</contact:chkData>`;
    return { code: 1000, data };
  },

  async 'contact:info'(command) {
    const code = required(command.body, 'id');
    const { contact } = await repp(command, 'GET', `contacts/${path(code)}`);
    const { org_name, street, state, zip, fax } = contact;
    const data = xml`<contact:infData xmlns:contact="urn:ietf:params:xml:ns:contact-1.0">
      <contact:id>${contact.code}</contact:id>
      <contact:roid>${contact.id}-DEMO</contact:roid>
      ${contact.statuses.map((status: string) => xml`<contact:status s="${status}"/>`)}
      <contact:postalInfo type="loc">
        <contact:name>${contact.name}</contact:name>
        ${org_name && xml`<contact:org>${org_name}</contact:org>`}
        <contact:addr>
          ${street && xml`<contact:street>${street}</contact:street>`}
          <contact:city>${contact.city || '-'}</contact:city>
          ${state && xml`<contact:sp>${state}</contact:sp>`}
          ${zip && xml`<contact:pc>${zip}</contact:pc>`}
          <contact:cc>${contact.country_code || contact.ident_country_code}</contact:cc>
        </contact:addr>
      </contact:postalInfo>
      <contact:voice>${contact.phone}</contact:voice>
      ${fax && xml`<contact:fax>${fax}</contact:fax>`}
      <contact:email>${contact.email}</contact:email>
      <contact:clID>${command.registrar}</contact:clID>
      <contact:crID>${command.registrar}</contact:crID>
      <contact:crDate>${contact.created_at}</contact:crDate>
      ${contact.updator_str && xml`<contact:upDate>${contact.updated_at}</contact:upDate>`}
      <contact:authInfo><contact:pw>${contact.auth_info}</contact:pw></contact:authInfo>
    </contact:infData>`;
    const extension = xml`<ext:ident xmlns:ext="urn:example:ext" type="${contact.ident_type}"
      cc="${contact.ident_country_code}">${contact.ident}</ext:ident>`;
    return { code: 1000, data, extension };
  },

  async poll(command) {
    const { op, registrar, body } = command;
    if (op !== 'req' && op !== 'ack') throw new Refusal(2005, 'Parameter value syntax error [op]');
    if (op === 'ack') {
      const id = body.attributes.msgID;
      if (!id) throw new Refusal(2003, 'Required parameter missing [msgID]');
      const own = /^own-(\d+)$/.exec(id)?.[1];
      const sql = 'delete from messages where id = ? and registrar = ? returning id';
      if (!own) {
        const read = { notification: { read: true } };
        await repp(command, 'PUT', `registrar/notifications/${path(id)}`, read);
      } else if (rows(sql, own, registrar).length === 0) {
        throw new Refusal(2303, 'Object does not exist');
      }
    }
    const own = rows('select * from messages where registrar = ? order by id', registrar);
    const theirs = await repp(command, 'GET', 'registrar/notifications');
    const count = own.length + (theirs.total ?? 0);
    const next = own[0]
      ? { ...own[0], id: `own-${own[0].id}` }
      : { id: theirs.id, at: theirs.created_at, text: theirs.text, data: '' };
    const content = op === 'req' && xml`<qDate>${next.at}</qDate><msg>${next.text}</msg>`;
    const queue =
      count > 0 ? xml`<msgQ count="${count}" id="${next.id}">${content}</msgQ>` : undefined;
    if (op === 'ack') return { code: 1000, queue };
    return count > 0 ? { code: 1301, queue, data: new Written(next.data!) } : { code: 1300 };
  },
};

// ---- What changes something: each is carried out again after a call without an answer

const changes: Record<string, Handler> = {
  async 'domain:create'(command) {
    const { body, registrar, at } = command;
    const [name, authInfo] = [required(body, 'name'), required(body, 'pw')];
    const [admin_contacts, tech_contacts] = [contactsOf(body, 'admin'), contactsOf(body, 'tech')];
    const registrant = required(body, 'registrant').toUpperCase();
    unsupported(body, 2102, 'ns');
    const expiresAt = yearsAfter(at, periodOf(command));
    if (find(name)) throw new Refusal(2302, 'Object exists');
    await askWhose(command, [registrant, ...admin_contacts, ...tech_contacts]);
    const secret = secretOf(command);
    const { domain } = await internal('POST', `names/${path(name)}/registration`, {
      domain: { registrar, registrant, admin_contacts, tech_contacts },
      ...{ registration_code: secret, password: secret },
    });
    const data = xml`<domain:creData xmlns:domain="urn:ietf:params:xml:ns:domain-1.0">
      <domain:name>${domain.name}</domain:name>
      <domain:crDate>${at}</domain:crDate>
      <domain:exDate>${expiresAt}</domain:exDate>
    </domain:creData>`;
    return { code: 1000, data, save: () => save(domain, authInfo, at, expiresAt) };
  },

  async 'domain:update'(command) {
    const { row, domain } = existing(command);
    const [add, rem, chg] = ['add', 'rem', 'chg'].map((part) => findAll(command.body, part)[0]);
    unsupported(command.body, 2102, 'ns');
    unsupported(command.body, 2306, 'status');
    const changed = (type: string, held: string[]) =>
      [...new Set([...held, ...contactsOf(add, type)])].filter(
        (code) => !contactsOf(rem, type).includes(code),
      );
    const next = {
      registrar: domain.registrar,
      registrant: textOf(chg, 'registrant')?.toUpperCase() ?? domain.registrant,
      admin_contacts: changed('admin', domain.admin_contacts),
      tech_contacts: changed('tech', domain.tech_contacts),
    };
    const linkedIn = ({ registrant, admin_contacts, tech_contacts }: typeof next) => [
      registrant,
      ...admin_contacts,
      ...tech_contacts,
    ];
    const held = linkedIn(domain);
    await askWhose(
      command,
      linkedIn(next).filter((code) => !held.includes(code)),
    );
    let result = { ...domain, punycode_name: row.key! };
    if (JSON.stringify(linkedIn(next)) !== JSON.stringify(held)) {
      const asked = { domain: next, password: secretOf(command) };
      const address = `domains/${path(domain.name)}`;
      ({ domain: result } = await internal('PUT', address, asked, { 'If-Match': '*' }));
    }
    return { code: 1000, save: () => save(result, textOf(chg, 'pw')) };
  },

  'domain:renew'(command) {
    const { row, domain } = existing(command);
    if (!row.expires_at!.startsWith(required(command.body, 'curExpDate'))) {
      throw new Refusal(2306, 'Parameter value policy error [curExpDate]');
    }
    const expiresAt = yearsAfter(row.expires_at!, periodOf(command));
    const data = xml`<domain:renData xmlns:domain="urn:ietf:params:xml:ns:domain-1.0">
      <domain:name>${domain.name}</domain:name>
      <domain:exDate>${expiresAt}</domain:exDate>
    </domain:renData>`;
    const sql = 'update domains set expires_at = ? where key = ?';
    return { code: 1000, data, save: () => void rows(sql, expiresAt, row.key!) };
  },

  async 'domain:transfer'(command) {
    const { op, registrar, body, at } = command;
    const { row, domain: held } = existing(command, false);
    if (op !== 'request') throw new Refusal(2301, 'Object not pending transfer');
    if (required(body, 'pw') !== row.auth_info) {
      throw new Refusal(2202, 'Invalid authorization information');
    }
    if (held.registrar === registrar) {
      throw new Refusal(2106, 'Object is not eligible for transfer');
    }
    const address = `domains/${path(held.name)}/transfer`;
    const { domain } = await internal('POST', address, { registrar });
    const data = xml`<domain:trnData xmlns:domain="urn:ietf:params:xml:ns:domain-1.0">
      <domain:name>${domain.name}</domain:name>
      <domain:trStatus>serverApproved</domain:trStatus>
      <domain:reID>${registrar}</domain:reID>
      <domain:reDate>${at}</domain:reDate>
      <domain:acID>${held.registrar}</domain:acID>
      <domain:acDate>${at}</domain:acDate>
      <domain:exDate>${row.expires_at}</domain:exDate>
    </domain:trnData>`;
    return {
      ...{ code: 1000, data },
      save() {
        save(domain);
        notify(held.registrar, 'Transfer approved.', data);
      },
    };
  },

  async 'domain:delete'(command) {
    const { row, domain } = existing(command);
    const name = path(domain.name);
    const refusalOf = (address: string): Promise<Refusal | undefined> =>
      internal('DELETE', address).then(
        () => undefined,
        (error) => {
          if (error instanceof Refusal && error.reason) return error;
          throw error;
        },
      );
    const late = await refusalOf(`names/${name}/registration`);
    if (late && late.reason !== 'late' && late.reason !== 'changed') throw late;
    // Here, a name that nothing else holds back goes up for auction.
    const kept = late && (await refusalOf(`domains/${name}?release=true`));
    if (kept) await internal('DELETE', `domains/${name}`);
    return { code: 1000, save: () => void rows('delete from domains where key = ?', row.key!) };
  },

  async 'contact:create'(command) {
    const id = required(command.body, 'id');
    const asked = { contact: { id, ...contactFields(command, command.body) } };
    const { contact } = await repp(command, 'POST', 'contacts', asked);
    const data = xml`<contact:creData xmlns:contact="urn:ietf:params:xml:ns:contact-1.0">
      <contact:id>${contact.id}</contact:id>
      <contact:crDate>${command.at}</contact:crDate>
    </contact:creData>`;
    return { code: 1000, data };
  },

  async 'contact:update'(command) {
    unsupported(command.body, 2306, 'status');
    const code = required(command.body, 'id');
    const asked = { contact: contactFields(command, findAll(command.body, 'chg')[0]) };
    await repp(command, 'PUT', `contacts/${path(code)}`, asked);
    return { code: 1000 };
  },

  async 'contact:delete'(command) {
    await repp(command, 'DELETE', `contacts/${path(required(command.body, 'id'))}`);
    return { code: 1000 };
  },
};

/** The fields of {contact}. What the command does not mention is undefined, and so left out. */
function contactFields({ extension }: Command, element: Element | undefined) {
  const [postal, otherType] = findAll(element, 'postalInfo');
  const numbers = ['voice', 'fax'].flatMap((name) => findAll(element, name));
  if (otherType || numbers.some(({ attributes }) => attributes.x)) {
    throw new Refusal(2102, 'Unimplemented option');
  }
  unsupported(element, 2308, 'disclose');
  const [addr] = findAll(postal, 'addr');
  const [ident] = findAll(extension, 'ident');
  const streets = findAll(addr, 'street').map((street) => street.text.trim());
  const part = (name: string) => textOf(addr, name) ?? null;
  return {
    ...{ name: textOf(postal, 'name'), org_name: textOf(postal, 'org') },
    ...{ email: textOf(element, 'email'), auth_info: textOf(element, 'pw') },
    ...{ phone: textOf(element, 'voice'), fax: textOf(element, 'fax') },
    addr: addr && {
      ...{ street: streets.join(', '), city: part('city'), state: part('sp') },
      ...{ zip: part('pc'), country_code: part('cc') },
    },
    ident: ident && {
      ...{ ident: ident.text.trim(), ident_type: ident.attributes.type },
      ident_country_code: ident.attributes.cc,
    },
  };
}

// ---- Pending commands

function pendingOf(object: string): Command | undefined {
  const [row] = rows('select * from pending where object = ?', object);
  return row && { ...readCommand(row.document!, row.registrar!), id: row.id!, at: row.at! };
}

function notify(registrar: string, message: string, data: Written): void {
  const sql = 'insert into messages (registrar, text, data, at) values (?, ?, ?, ?)';
  rows(sql, registrar, message, data.xml, new Date().toISOString());
}

/** Saves a command as pending, and carries it out. */
async function change(command: Command): Promise<Answer> {
  const { name, registrar, body, document, id, at } = command;
  const object = name.startsWith('domain:')
    ? `domain:${keyOf(required(body, 'name'))}`
    : `contact:${registrar}:${required(body, 'id').toUpperCase()}`;
  const pending = pendingOf(object);
  if (pending) {
    const isSame = pending.document === document && pending.registrar === registrar;
    if (isSame) return { code: 1001 };
    if (name.endsWith(':create')) throw new Refusal(2302, 'Object exists');
    throw new Refusal(2304, 'Object status prohibits operation');
  }
  rows('insert into pending values (?, ?, ?, ?, ?)', object, id, registrar, document, at);
  try {
    return await finish(object, command);
  } catch (error) {
    if (error instanceof NoAnswer) return { code: 1001 };
    throw error;
  }
}

/** Throws NoAnswer, and leaves the command pending, if the registry has not answered. */
async function finish(object: string, command: Command, isLate = false): Promise<Answer> {
  let answer: Answer;
  try {
    answer = await changes[command.name]!(command);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    answer = { code: error.code, message: error.message };
  }
  inTransaction(() => {
    answer.save?.();
    rows('delete from pending where object = ?', object);
    if (isLate) notifyOfResult(command, answer);
  });
  return answer;
}

function notifyOfResult({ name, registrar, body, clTRID, id }: Command, answer: Answer): void {
  const result = answer.code === 1000 ? 1 : 0;
  const trid = xml`${clTRID && xml`<clTRID>${clTRID}</clTRID>`}<svTRID>${id}</svTRID>`;
  const at = new Date().toISOString();
  const data = name.startsWith('domain:')
    ? xml`<domain:panData xmlns:domain="urn:ietf:params:xml:ns:domain-1.0">
        <domain:name paResult="${result}">${textOf(body, 'name')}</domain:name>
        <domain:paTRID>${trid}</domain:paTRID>
        <domain:paDate>${at}</domain:paDate>
      </domain:panData>`
    : xml`<contact:panData xmlns:contact="urn:ietf:params:xml:ns:contact-1.0">
        <contact:id paResult="${result}">${textOf(body, 'id')}</contact:id>
        <contact:paTRID>${trid}</contact:paTRID>
        <contact:paDate>${at}</contact:paDate>
      </contact:panData>`;
  notify(registrar, `${name}: ${answer.code} ${messageOf(answer)}`, data);
}

/** Repeats what had no answer. The registry's changes are followed only then, since they include its own. */
async function goOn(): Promise<void> {
  for (const { object } of rows('select object from pending order by rowid')) {
    await finish(object!, pendingOf(object!)!, true);
  }
  await follow();
}

// ---- What others change

async function follow(): Promise<void> {
  for (;;) {
    const [place] = rows('select after from place');
    const query = place ? `after=${path(place.after!)}` : 'limit=0';
    const { status, body } = await call('GET', `/api/v1/internal/changes?${query}`);
    if (status === 410) {
      rows('delete from place');
      continue;
    }
    if (status !== 200) throw new Error(`changes: ${status}`);
    const changed: string[] = place
      ? body.changes
          .filter(({ subject }: { subject: string }) => subject === 'domain')
          .map(({ key }: { key: string }) => key)
      : rows('select key from domains').map(({ key }) => key);
    for (const name of new Set(changed)) await readAgain(name);
    rows('insert or replace into place values (1, ?)', body.after);
    if (!body.more) return;
  }
}

async function readAgain(name: string): Promise<void> {
  const { status, body } = await call('GET', `/api/v1/internal/domains/${path(name)}`);
  if (status === 200) save(body.domain);
  else if (status === 404) rows('delete from domains where key = ?', keyOf(name));
  else throw new Error(`domains/${name}: ${status}`);
}

// ---- Documents

const messages: Record<number, string> = {
  1000: 'Command completed successfully',
  1001: 'Command completed successfully; action pending',
  1300: 'Command completed successfully; no messages',
  1301: 'Command completed successfully; ack to dequeue',
  2400: 'Command failed',
};
const messageOf = ({ code, message }: Answer) => message ?? messages[code] ?? 'Command failed';

function readCommand(document: string, registrar: string): Command {
  const [element] = readXml(document).children;
  const [verb] = element?.name === 'command' ? element.children : [];
  if (!element || !verb) throw new Refusal(2001, 'Command syntax error');
  const body = verb.name === 'poll' ? verb : (verb.children[0] ?? verb);
  const [, object] = /^urn:ietf:params:xml:ns:(domain|contact)-1\.0$/.exec(body.namespace) ?? [];
  return {
    ...{ id: randomUUID(), registrar, document, at: new Date().toISOString() },
    clTRID: textOf(element, 'clTRID'),
    name: object ? `${object}:${verb.name}` : verb.name,
    op: verb.attributes.op,
    body,
    extension: element.children.find(({ name }) => name === 'extension'),
  };
}

function answerOf(command: Command): Answer | Promise<Answer> {
  const { name, op, body } = command;
  const isKnown = /^(domain|contact):/.test(name) || body.namespace.endsWith(':epp-1.0');
  if (!isKnown) throw new Refusal(2307, 'Unimplemented object service');
  if (name === 'contact:transfer') throw new Refusal(2101, 'Unimplemented command');
  if (name === 'domain:transfer' && op !== 'request') return changes[name]!(command);
  if (Object.hasOwn(queries, name)) return queries[name]!(command);
  if (Object.hasOwn(changes, name)) return change(command);
  throw new Refusal(2000, 'Unknown command');
}

async function respond(document: string, registrar: string): Promise<Written> {
  let command: Command | undefined;
  let answer: Answer;
  try {
    command = readCommand(document, registrar);
    answer = await answerOf(command);
  } catch (error) {
    if (error instanceof Refusal) answer = { code: error.code, message: error.message };
    else if (error instanceof SyntaxError) answer = { code: 2001, message: error.message };
    else {
      answer = { code: 2400 };
      if (!(error instanceof NoAnswer)) report(error);
    }
  }
  const { code, data, queue, extension } = answer;
  return xml`<epp xmlns="urn:ietf:params:xml:ns:epp-1.0"><response>
    <result code="${code}"><msg>${messageOf(answer)}</msg></result>
    ${queue}
    ${data?.xml && xml`<resData>${data}</resData>`}
    ${extension && xml`<extension>${extension}</extension>`}
    <trID>
      ${command?.clTRID && xml`<clTRID>${command.clTRID}</clTRID>`}
      <svTRID>${command?.id ?? randomUUID()}</svTRID>
    </trID>
  </response></epp>`;
}

const report = (error: unknown) => process.stderr.write(`${(error as Error).stack}\n`);

let turn: Promise<unknown> = Promise.resolve();

/** One thing is done at a time. A server with more to do takes turns for each object. */
function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  const result = turn.then(work);
  turn = result.catch(() => {});
  return result;
}

const server = createServer(async (request, response) => {
  const document = await text(request);
  const registrar = request.url!.slice(1).toUpperCase();
  const { xml: answer } = await inTurn(() => respond(document, registrar));
  response.writeHead(200, { 'Content-Type': 'application/epp+xml' });
  response.end(`<?xml version="1.0" encoding="UTF-8"?>\n${answer}`);
});
server.listen(Number(PORT), '127.0.0.1', () => {
  process.stdout.write(`Port ${(server.address() as { port: number }).port}\n`);
});
for (;;) {
  await inTurn(goOn).catch((error) => error instanceof NoAnswer || report(error));
  await pause(Number(EVERY_MS));
}
