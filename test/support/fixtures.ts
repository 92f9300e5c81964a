import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import {
  apiUsers,
  auctions,
  contacts,
  deskLooks,
  disclosures,
  disputes,
  domainContacts,
  domains,
  history,
  type IdentityRequest,
  notifications,
  registrars,
  retainedDomains,
  type SystemRight,
  systems,
  type Verification,
} from '../../drizzle/schema.ts';
import { sha256Hex } from '../../src/base/bytes/digest.ts';
import { openDatabase } from '../../src/base/database/open.ts';
import type { Env } from '../../src/base/env.ts';
import type { Origin } from '../../src/change/origin.ts';
import { keysOf } from '../../src/contact/contact.ts';
import { issueToken, type Person } from '../../src/party/registrant/token.ts';
import { loginOf } from '../../src/party/registrar/login.ts';
import { settings } from '../../src/worker/settings.ts';

/**
 * Builders of rows. Each gives a row that is complete and shares nothing with any other, so that a test
 * states only what matters to it.
 */

const timestamp = '2026-01-02T03:04:05.678Z';
let sequence = 0;

export function unique(): number {
  sequence += 1;
  return sequence;
}

async function insert<Table extends SQLiteTable>(
  { DB }: Env,
  table: Table,
  values: Table['$inferInsert'],
): Promise<Table['$inferSelect']> {
  const rows = await openDatabase(DB).insert(table).values(values).returning();
  return (rows as Table['$inferSelect'][])[0]!;
}

/** A registrar with one API user; `authorization` is the header that lets the user in. */
export async function addRegistrar(
  env: Env,
  overrides: Partial<typeof registrars.$inferInsert> = {},
  user: Partial<typeof apiUsers.$inferInsert> = {},
) {
  const n = unique();
  const secret = crypto.randomUUID() + crypto.randomUUID();
  const username = user.username ?? `user${n}`;
  const login = await loginOf(username, secret, new Date());
  const registrar = await insert(env, registrars, {
    code: `REG${n}`,
    name: `Registrar ${n}`,
    createdAt: timestamp,
    updatedAt: timestamp,
    ...overrides,
  });
  const apiUser = await insert(env, apiUsers, {
    registrarId: registrar.id,
    username,
    secretDigest: login.secretDigest,
    secretChangedAt: timestamp,
    createdAt: timestamp,
    updatedAt: timestamp,
    ...user,
  });
  return {
    ...registrar,
    apiUser,
    secret,
    authorization: basic(username, secret),
    /** The part of a login that the nouns take. */
    login,
  };
}

/** One of the registry's systems, on loopback; `authorization` is the header that lets it in. */
export async function addSystem(
  env: Env,
  rights: SystemRight[] = [],
  overrides: Partial<typeof systems.$inferInsert> = {},
) {
  const key = crypto.randomUUID();
  const system = await insert(env, systems, {
    name: `system${unique()}`,
    keyDigest: await sha256Hex(key),
    keyChangedAt: timestamp,
    rights,
    allowedIps: ['127.0.0.0/8', '::1'],
    createdAt: timestamp,
    updatedAt: timestamp,
    ...overrides,
  });
  return { ...system, key, authorization: `Bearer ${key}` };
}

export function basic(username: string, secret: string): string {
  return `Basic ${Buffer.from(`${username}:${secret}`).toString('base64')}`;
}

/** The operator, with a command of its own each time that the request is read. */
export const operator: Origin = {
  actor: { type: 'operator', name: 'Operator' },
  get request() {
    return { at: new Date('2026-05-06T07:08:09.010Z'), requestId: crypto.randomUUID() };
  },
};

/** A person with a token of their own; `authorization` is the header that lets them in. */
export async function addPerson(env: Env, overrides: Partial<Person> = {}) {
  const person = {
    countryCode: 'EE',
    code: `380${String(unique()).padStart(8, '0')}`,
    firstName: 'Mari',
    lastName: 'Maasikas',
    ...overrides,
  };
  const { token } = await issueToken(settings(env).REGISTRANT_TOKEN_KEYS, person, new Date());
  return { ...person, authorization: `Bearer ${token}` };
}

/** A request with a JSON body (text is sent as it is) by whoever holds the `Authorization` header. */
export function send(
  method: string,
  { authorization }: { authorization: string },
  body?: unknown,
  headers: Record<string, string> = {},
) {
  return {
    method,
    headers: { Authorization: authorization, 'Content-Type': 'application/json', ...headers },
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
  };
}

export async function addContact(
  env: Env,
  registrar: { id: number; code: string },
  overrides: Partial<typeof contacts.$inferInsert> = {},
) {
  const n = unique();
  const given = {
    ident: '38001085718',
    name: `Contact ${n}`,
    email: `contact${n}@example.ee`,
    ...overrides,
  };
  return insert(env, contacts, {
    uuid: crypto.randomUUID(),
    registrarId: registrar.id,
    number: n,
    code: `${registrar.code}:C${n}`,
    phone: '+372.5123456',
    ...keysOf(given),
    identType: 'priv',
    identCountryCode: 'EE',
    authInfo: 'e2c440eba6055c2f844a88',
    createdAt: timestamp,
    updatedAt: timestamp,
    ...given,
  });
}

export function addLook(env: Env, overrides: Partial<typeof deskLooks.$inferInsert>) {
  const given = { lookedBy: 'mari@registry.example', subject: 'contact', key: '' } as const;
  return insert(env, deskLooks, { lookedAt: timestamp, ...given, ...overrides });
}

/** A contact with its registrar, who has no other. */
export async function addOwnContact(env: Env, overrides?: Parameters<typeof addContact>[2]) {
  const registrar = await addRegistrar(env);
  const contact = await addContact(env, registrar, overrides);
  return { ...contact, contact, registrar };
}

/** A registrar with that many contacts, of which it has the codes. */
export async function addRegistrarWith(env: Env, count: number) {
  const registrar = await addRegistrar(env);
  const codes: string[] = [];
  for (let n = 0; n < count; n++) codes.push((await addContact(env, registrar)).code);
  return { ...registrar, codes };
}

/** That many contacts of a registrar with the numbers and codes from 1, otherwise the same: one statement copies the first. */
export async function addContacts(
  env: Env,
  registrar: { id: number; code: string },
  count: number,
  overrides: Partial<typeof contacts.$inferInsert> = {},
) {
  const code = `${registrar.code}:1`;
  const { uuid } = await addContact(env, registrar, { ...overrides, number: 1, code });
  const copied =
    'registrar_id, name, name_key, email, email_key, phone, ident, ident_key, ident_type, ident_country_code, auth_info, created_at, updated_at';
  await env.DB.prepare(
    `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ?1)
     insert into contacts (uuid, code, number, ${copied})
     select substr(uuid, 1, 24) || printf('%012x', n), ?2 || ':' || n, n, ${copied}
     from numbers, contacts where uuid = ?3 and n > 1`,
  )
    .bind(count, registrar.code, uuid)
    .run();
}

/** A granted disclosure of the name of whoever has this identity. */
export async function addDisclosure(
  env: Env,
  {
    identKey,
    identType,
    identCountryCode,
  }: Record<`ident${'Key' | 'Type' | 'CountryCode'}`, string>,
  overrides: Partial<typeof disclosures.$inferInsert> = {},
) {
  return insert(env, disclosures, {
    ...{ identKey, identType, identCountryCode, contactCode: 'ALPHA:1' },
    ...{ contactUuid: crypto.randomUUID(), requester: 'Jaan Tamm', identifiedBy: 'ID card' },
    ...{ organization: 'Police', basis: 'case 12-3', requestedFields: ['name'] },
    ...{ isConfidential: false, receivedAt: timestamp, answeredAt: timestamp },
    ...{ outcome: 'granted', grantedFields: ['name'] },
    ...overrides,
  });
}

/** A request to the identity service that waits for the registrar's decision. */
export function pendingRequest(): IdentityRequest {
  const pending = { since: timestamp, country_code: 'LV', ident: '010180-12345', name: null };
  return { id: crypto.randomUUID(), sent_at: timestamp, pending };
}

/** An entry of a contact's history, about a change of its name by its registrar. */
export async function addEntry(
  env: Env,
  contact: { code: string; uuid: string },
  overrides: Partial<typeof history.$inferInsert> = {},
) {
  return insert(env, history, {
    occurredAt: '2020-01-01T00:00:00.000Z',
    subject: 'contact',
    subjectKey: contact.code,
    subjectUuid: contact.uuid,
    action: 'update',
    actorType: 'api_user',
    actor: '1-ApiUser: ats',
    requestId: `request-${unique()}`,
    clientReference: 'ABC-1',
    changes: { name: { from: 'Mari', to: 'Mari Maasikas' } },
    ...overrides,
  });
}

/** A check of a contact's claim, as it is stored. */
export function verification(overrides: Partial<Verification> = {}): Verification {
  return {
    id: crypto.randomUUID(),
    method: 'eid',
    framework: null,
    reference: null,
    result: 'success',
    verified_at: timestamp,
    verified_by: 'Operator test',
    ...overrides,
  };
}

/** What is shown of a contact about which nothing was checked or asked. */
export const unverified = {
  verifications: [],
  verification_demand: null,
  ident_request_sent_at: null,
  verified_at: null,
  verification_id: null,
  verification_pending_at: null,
  verification_pending: null,
};

/** The values that a contact must have, by column. */
export const contactValues = {
  name: 'Mari Maasikas',
  email: 'mari@example.ee',
  phone: '+372.5123456',
  ident: '38001085718',
  identType: 'priv',
  identCountryCode: 'EE',
} as const;

/** The contact that a registrar sends for creation, with nothing beyond what is required unless the test adds it. */
export function newContact(overrides: object = {}) {
  const { ident, identType, identCountryCode, ...rest } = contactValues;
  return {
    ...rest,
    ident: { ident, ident_type: identType, ident_country_code: identCountryCode },
    ...overrides,
  };
}

/** A domain that refers to the contact as its registrant. */
export async function addDomainOf(
  env: Env,
  contact: { id: number; registrarId: number },
  name = `domain${unique()}.ee`,
) {
  const domain = await insert(env, domains, {
    name,
    punycode: name,
    registrarId: contact.registrarId,
    createdAt: timestamp,
  });
  await insert(env, domainContacts, {
    domainId: domain.id,
    contactId: contact.id,
    role: 'registrant',
  });
  return domain;
}

/** An unread notification of a registrar, about a contact that need not be there. */
export async function addNotification(
  env: Env,
  registrar: { id: number; code: string },
  overrides: Partial<typeof notifications.$inferInsert> = {},
) {
  const subjectKey = overrides.subjectKey ?? `${registrar.code}:C${unique()}`;
  return insert(env, notifications, {
    registrarId: registrar.id,
    event: 'contact.updated',
    text: `Contact ${subjectKey} has been updated by registrant`,
    subjectKey,
    fields: ['email'],
    createdAt: timestamp,
    ...overrides,
  });
}

/** An auction in progress. */
export async function addAuction(env: Env, overrides: Partial<typeof auctions.$inferInsert> = {}) {
  const name = overrides.name ?? `auction${unique()}.ee`;
  return insert(env, auctions, {
    uuid: crypto.randomUUID(),
    name,
    punycode: name,
    createdAt: timestamp,
    updatedAt: timestamp,
    ...overrides,
  });
}

/** The header of a person whom the portal has authenticated: Mari Maasikas, EE 38001085718. */
export async function bearer(
  worker: { fetch: (path: string, init: RequestInit) => Promise<Response> },
  ident = '38001085718',
) {
  const response = await worker.fetch('/api/v1/registrant/auth/eid', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ident, first_name: 'Mari', last_name: 'Maasikas' }),
  });
  const { access_token: token } = (await response.json()) as { access_token: string };
  return `Bearer ${token}`;
}

/** A reserved or blocked name. */
export async function addRetainedDomain(
  env: Env,
  overrides: Partial<typeof retainedDomains.$inferInsert> = {},
) {
  const name = overrides.name ?? `retained${unique()}.ee`;
  return insert(env, retainedDomains, {
    name,
    punycode: name,
    status: 'reserved',
    createdAt: timestamp,
    ...overrides,
  });
}

/** A dispute that is in force on every day of this century. */
export async function addDispute(env: Env, overrides: Partial<typeof disputes.$inferInsert> = {}) {
  const name = overrides.name ?? `disputed${unique()}.ee`;
  return insert(env, disputes, {
    name,
    punycode: name,
    firstDay: '2000-01-01',
    lastDay: '2099-12-31',
    createdAt: timestamp,
    ...overrides,
  });
}

/** The lists are the registry's, not a test's: this makes them, and what is published of them, empty. */
export async function emptyLists({ DB, LISTS }: Env) {
  const tables = [
    'auctions',
    'retained_domains',
    'disputes',
    'list_publications',
    'list_leftovers',
  ];
  await DB.batch(tables.map((table) => DB.prepare(`delete from ${table}`)));
  const { keys } = await LISTS.list();
  await Promise.all(keys.map(({ name }) => LISTS.delete(name)));
}
