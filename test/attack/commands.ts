import { asc, eq } from 'drizzle-orm';
import {
  apiUsers,
  auctions,
  contacts,
  history,
  notifications,
  webhookDeliveries,
  webhooks,
} from '../../drizzle/schema.ts';
import { openDatabase } from '../../src/base/database/open.ts';
import type { Env } from '../../src/base/env.ts';
import { type Contact, versionOf } from '../../src/contact/contact.ts';
import { generateWebhookSecret } from '../../src/party/registrar/webhook.ts';
import {
  addAuction,
  addContact,
  addDomainOf,
  addNotification,
  addPerson,
  addRegistrar,
  newContact,
  send,
  unique,
} from '../support/fixtures.ts';

type Login = { authorization: string; id: number; code: string };

/** One request about rows of its own, and what the database says of them. */
export interface Command {
  path: string;
  init: RequestInit;
  state: () => Promise<unknown>;
}

/** Each kind of request, with rows of its own each time. */
export type Kinds = Record<string, () => Promise<Command>>;

export const loopback = { 'CF-Connecting-IP': '127.0.0.1' };

export function kindsOf(env: Env, registrar: Login): Kinds {
  const db = openDatabase(env.DB);
  const key = () => ({ 'Idempotency-Key': `key-${unique()}` });
  const nothing = async () => null;

  /** The row by its UUID or code, without what differs from run to run, and its history. */
  const stateOf = async (code: string) => {
    const [row] = await db.select().from(contacts).where(eq(contacts.code, code));
    const told = await db
      .select({ action: history.action, changes: history.changes })
      .from(history)
      .where(eq(history.subjectKey, code))
      .orderBy(asc(history.id));
    const notified = await db
      .select({ fields: notifications.fields })
      .from(notifications)
      .where(eq(notifications.subjectKey, code));
    return {
      row: row && { ...row, ...varying, authInfo: row.authInfo.length },
      told,
      notified,
    };
  };
  const onContact =
    (method: string, body?: unknown, headers: HeadersOf = () => ({})) =>
    async (): Promise<Command> => {
      const contact = await addContact(env, registrar, sameEveryTime);
      return {
        path: `/repp/v1/contacts/${contact.code}`,
        init: send(method, registrar, body, { ...loopback, ...headers(contact) }),
        state: () => stateOf(contact.code),
      };
    };
  const create =
    (headers: () => Record<string, string> = () => ({})) =>
    async (): Promise<Command> => {
      const id = `NEW${unique()}`;
      const contact = newContact({ id });
      return {
        path: '/repp/v1/contacts',
        init: send('POST', registrar, { contact }, { ...loopback, ...headers() }),
        state: () => stateOf(`${registrar.code}:${id}`),
      };
    };
  const ofPerson =
    (method: string, suffix = '', body?: unknown, headers: HeadersOf = () => ({})) =>
    async (): Promise<Command> => {
      const person = await addPerson(env);
      const identity = { ident: person.code, identCountryCode: person.countryCode };
      const contact = await addContact(env, registrar, { ...sameEveryTime, ...identity });
      return {
        path: `/api/v1/registrant/contacts${suffix === 'list' ? '' : `/${contact.uuid}${suffix}`}`,
        init: send(method, person, body, { ...loopback, ...headers(contact) }),
        state: async () => {
          const { row, ...others } = await stateOf(contact.code);
          const same = row && { ...row, ident: '', identKey: '', identCountryCode: '' };
          return { row: same, ...others };
        },
      };
    };
  const onAuction = (method: string, body?: unknown) => async (): Promise<Command> => {
    const auction = await addAuction(env);
    return {
      path: `/api/v1/auctions/${auction.uuid}`,
      init: send(method, { authorization: '' }, body, loopback),
      state: async () => {
        const rows = await db.select().from(auctions).where(eq(auctions.name, auction.name));
        const told = await db.select().from(history).where(eq(history.subjectKey, auction.name));
        return {
          rows: rows.map(({ status, registrationCode, version }) => ({
            status,
            version,
            code: registrationCode?.length,
          })),
          told: told.map(({ action, changes }) => ({ action, changes: Object.keys(changes) })),
        };
      },
    };
  };
  const onNotification = (method: string, body?: unknown) => async (): Promise<Command> => {
    const { id } = await addNotification(env, registrar);
    return {
      path: `/repp/v1/registrar/notifications/${id}`,
      init: send(method, registrar, body, loopback),
      state: async () => {
        const [row] = await db.select().from(notifications).where(eq(notifications.id, id));
        return row && { isRead: row.readAt !== null };
      },
    };
  };
  const list = (query: string) => async (): Promise<Command> => ({
    path: `/repp/v1/contacts${query}`,
    init: send('GET', registrar, undefined, loopback),
    state: nothing,
  });
  const phone = { contact: { phone: '+372.777' } };

  const ofAccount =
    (method: string, suffix = '') =>
    async (): Promise<Command> => {
      const { id, registrarId, username, authorization } = await addUser();
      return {
        path: `/repp/v1/registrar${suffix}`,
        init: send(method, { authorization }, undefined, loopback),
        state: async () => {
          const [user] = await db.select().from(apiUsers).where(eq(apiUsers.id, id));
          const told = await db.select().from(history).where(eq(history.subjectKey, username));
          const isOf = eq(notifications.registrarId, registrarId);
          return {
            isReplaced: user!.previousSecretDigest !== null,
            isUsed: user!.previousSecretValidUntil !== null,
            told: told.map(({ action, changes }) => ({ action, changes })),
            notified: await db.$count(notifications, isOf),
          };
        },
      };
    };
  const ofWebhook =
    (method: string, suffix = '', body?: unknown) =>
    async (): Promise<Command> => {
      const { id: registrarId, code, authorization } = await addRegistrar(env);
      const row = {
        registrarId,
        secret: generateWebhookSecret(),
        createdAt: '2026-01-01T00:00:00.000Z',
      };
      if (method !== 'PUT')
        await db.insert(webhooks).values({ ...row, url: 'http://localhost:8/' });
      return {
        path: `/repp/v1/registrar/webhook${suffix}`,
        init: send(method, { authorization }, body, loopback),
        state: async () => {
          const ofRegistrar = eq(webhooks.registrarId, registrarId);
          const [webhook] = await db.select().from(webhooks).where(ofRegistrar);
          const told = await db.select().from(history).where(eq(history.subjectKey, code));
          return {
            url: webhook?.url,
            replaced: webhook?.replacedSecrets.length,
            tests: await db.$count(
              webhookDeliveries,
              eq(webhookDeliveries.registrarId, registrarId),
            ),
            told: told.map(({ action, changes }) => ({ action, changes })),
          };
        },
      };
    };
  const addUser = async () => {
    const { apiUser, authorization } = await addRegistrar(env);
    return { ...apiUser, authorization };
  };

  return {
    'who calls': ofAccount('GET'),
    [replacing]: ofAccount('POST', '/api_user/secret'),
    'a new webhook': ofWebhook('PUT', '', { webhook: { url: 'http://localhost:9/' } }),
    [rotating]: ofWebhook('POST', '/secret'),
    'a test of a webhook': ofWebhook('POST', '/test'),
    'a read of a webhook': ofWebhook('GET'),
    'a list of deliveries': ofWebhook('GET', '/deliveries'),
    'the end of a webhook': ofWebhook('DELETE'),
    'a list of codes': list('?limit=1'),
    'a list with details': list('?limit=1&details=true'),
    'a search': list('?name=same&limit=1'),
    'the changes since a day': list('?updated_since=2026-01-02&limit=1'),
    'a read': onContact('GET'),
    'a validation': async () => ({
      path: '/repp/v1/contacts/validate',
      init: send('POST', registrar, { contacts: [newContact(), {}] }, loopback),
      state: nothing,
    }),
    'a check of ids': async () => ({
      path: '/repp/v1/contacts/check',
      init: send('POST', registrar, { contacts: ['free', '', 5] }, loopback),
      state: nothing,
    }),
    'a creation': create(),
    'a creation with a key': create(key),
    'an update': onContact('PUT', phone),
    'an update with a key': onContact('PUT', phone, key),
    'an update with a key that changes nothing': onContact(
      'PUT',
      { contact: { phone: '+372.5123456' } },
      key,
    ),
    'a conditional update': onContact('PUT', phone, ifVersion),
    'a conditional update with a key': onContact('PUT', phone, (contact) => ({
      ...ifVersion(contact),
      ...key(),
    })),
    'a conditional deletion': onContact('DELETE', undefined, ifVersion),
    [drawing]: onContact('PUT', { contact: { auth_info: null } }),
    'a deletion': onContact('DELETE'),
    'a deletion with a key': onContact('DELETE', undefined, key),
    'a deletion of a linked contact': async () => {
      const contact = await addContact(env, registrar, sameEveryTime);
      await addDomainOf(env, contact);
      return {
        path: `/repp/v1/contacts/${contact.code}`,
        init: send('DELETE', registrar, undefined, loopback),
        state: () => stateOf(contact.code),
      };
    },
    'a deletion of what is not there': async () => ({
      path: `/repp/v1/contacts/NONE${unique()}`,
      init: send('DELETE', registrar, undefined, loopback),
      state: nothing,
    }),
    'a registrant’s list': ofPerson('GET', 'list'),
    'a registrant’s read': ofPerson('GET'),
    'a registrant’s history': ofPerson('GET', '/history'),
    'a registrant’s update': ofPerson('PATCH', '', { name: 'Kati Karu' }),
    'a registrant’s conditional update': ofPerson('PATCH', '', { name: 'Kati Karu' }, ifVersion),
    'a registrant’s update with a key': ofPerson('PATCH', '', { name: 'Kati Karu' }, key),
    'a read of a notification': onNotification('GET'),
    'a notification marked as read': onNotification('PUT', { notification: { read: true } }),
    'a read of an auction': onAuction('GET'),
    'a report of a payment': onAuction('PATCH', { status: 'payment_received' }),
    'a report that restarts the auction': onAuction('PATCH', { status: 'payment_not_received' }),
  };
}

const drawing = 'an update that draws a new auth_info';
const replacing = 'a new secret';
const rotating = 'a new secret of a webhook';

/** Said twice without a key, they are done twice. */
export const doneEachTime = [drawing, replacing, rotating];

type HeadersOf = (contact: Contact) => Record<string, string>;

const ifVersion: HeadersOf = (contact) => ({ 'If-Match': `"${versionOf(contact)}"` });

const sameEveryTime = { name: 'Same Name', email: 'same@example.ee' };

const varying = {
  id: 0,
  uuid: '',
  number: 0,
  version: 0,
  code: '',
  updater: '',
  creator: '',
  createdAt: '',
  updatedAt: '',
};
