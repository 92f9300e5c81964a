import { auctions, contacts, systemRights } from '../../drizzle/schema.ts';
import { openDatabase } from '../../src/base/database/open.ts';
import type { Env } from '../../src/base/env.ts';
import { issueToken, type Person } from '../../src/party/registrant/token.ts';
import {
  addAuction,
  addContact,
  addDomainOf,
  addNotification,
  addRegistrar,
  addSystem,
  basic,
} from '../support/fixtures.ts';

/** The demo key of `.dev.vars`, so that a test can sign what the service would, and what it would not. */
const demoKey = {
  id: 'demo',
  secret: new TextEncoder().encode('demo-secret-for-local-development-only'),
};

const mari: Person = {
  countryCode: 'EE',
  code: '38001085718',
  firstName: 'Mari',
  lastName: 'Maasikas',
};

/** The sender of a request. */
export interface Caller {
  name: string;
  headers: Record<string, string>;
  /** The interface that lets this caller in. */
  mayUse?: 'registrar' | 'registrant' | 'internal';
}

/** A text that stands in somebody's data and nowhere in what the callers send. */
export interface Marker {
  text: string;
  visibleTo: Caller['mayUse'][];
}

export type World = Awaited<ReturnType<typeof plant>>;

/**
 * Two registrars, of which one calls and the other is a bystander; a person with contacts at both; auctions of every
 * kind. What each contact holds is marked with who may see it.
 */
export async function plant(env: Env) {
  const caller = await addRegistrar(env);
  const bystander = await addRegistrar(env);
  const disabled = await addRegistrar(env, {}, { disabledAt: '2026-01-01T00:00:00.000Z' });
  const elsewhere = await addRegistrar(env, { allowedIps: ['203.0.113.0/24'] });
  const ownSystem = await addSystem(env, [...systemRights]);
  const closedSystem = await addSystem(env, [...systemRights], { allowedIps: [] });
  const markers: Marker[] = [];

  /** Every field of it marked; the identity is the person's, or a marked one. */
  const marked = async (
    registrar: typeof caller,
    isPersons: boolean,
    overrides: Parameters<typeof addContact>[2] = {},
  ) => {
    const text = `mark${crypto.randomUUID().replaceAll('-', '')}`;
    // A system with the right for changes reads every contact.
    const visibleTo: Marker['visibleTo'] = ['internal'];
    if (registrar === caller) visibleTo.push('registrar');
    if (isPersons) visibleTo.push('registrant');
    markers.push({ text, visibleTo });
    return addContact(env, registrar, {
      name: `${text} name`,
      orgName: `${text} org`,
      email: `${text}@example.ee`,
      street: `${text} street`,
      city: `${text} city`,
      state: `${text} state`,
      authInfo: `${text} auth`,
      legacyId: `${text} legacy`,
      creator: `${text} creator`,
      statusNotes: { ok: `${text} note` },
      ...(isPersons ? {} : { ident: `${text} ident` }),
      ...overrides,
    });
  };
  const markedNotification = (registrar: typeof caller) => {
    const subjectKey = `mark${crypto.randomUUID().replaceAll('-', '')}`;
    markers.push({ text: subjectKey, visibleTo: registrar === caller ? ['registrar'] : [] });
    return addNotification(env, registrar, { subjectKey });
  };
  const own = await Promise.all([
    marked(caller, true),
    marked(caller, true, { statuses: ['serverUpdateProhibited', 'clientDeleteProhibited'] }),
    marked(caller, false),
    marked(caller, false, { identType: 'org' }),
  ]);
  const linked = await marked(caller, true);
  await addDomainOf(env, linked);
  const persons = await Promise.all([marked(bystander, true), marked(bystander, true)]);
  const others = await Promise.all([
    marked(bystander, false),
    marked(bystander, false, { identType: 'org', ident: mari.code }),
    marked(bystander, false, { identCountryCode: 'LV', ident: mari.code }),
  ]);

  const registrationCode = crypto.randomUUID().replaceAll('-', '');
  const planted = await Promise.all([
    addAuction(env),
    addAuction(env),
    addAuction(env, { status: 'awaiting_payment' }),
    addAuction(env, { status: 'domain_registered' }),
    addAuction(env, { status: 'payment_received', registrationCode }),
  ]);

  const db = openDatabase(env.DB);
  const now = new Date();
  const told = await Promise.all([caller, caller, bystander].map(markedNotification));
  const hoursLater = (hours: number) => new Date(now.getTime() + hours * 3_600_000);
  const bearer = async (key = demoKey, at = now) =>
    `Bearer ${(await issueToken([key], mari, at)).token}`;
  const token = await bearer();
  const forger = {
    id: 'demo',
    secret: new TextEncoder().encode('a-secret-of-somebody-else-entirely'),
  };
  const [header, payload, signature] = token.slice('Bearer '.length).split('.') as [
    string,
    string,
    string,
  ];
  const unsigned = Buffer.from('{"alg":"none","kid":"demo"}').toString('base64url');

  const callerOf = (name: string, authorization: string, mayUse?: Caller['mayUse']): Caller => ({
    name,
    headers: { Authorization: authorization },
    ...(mayUse && { mayUse }),
  });
  const registrar = callerOf('registrar', caller.authorization, 'registrar');
  const registrant = callerOf('registrant', token, 'registrant');
  const system = callerOf('system', ownSystem.authorization, 'internal');
  // With the right to act alone, or it could read every contact in the internal interface.
  const actingSystem = await addSystem(env, ['act-for']);
  const acting = callerOf('acting', actingSystem.authorization, 'registrar');
  acting.headers['Acting-For'] = caller.code.toLowerCase();
  const limitedSystem = await addSystem(env, [`act-for=${bystander.code}`]);
  const beyond = callerOf('acting beyond its right', limitedSystem.authorization);
  beyond.headers['Acting-For'] = caller.code;
  const intruders: Caller[] = [
    ['nobody', ''],
    ['a wrong secret', basic(bystander.apiUser.username, caller.secret)],
    ['another name', basic(`${caller.apiUser.username}x`, caller.secret)],
    ['a disabled user', disabled.authorization],
    ['the wrong address', elsewhere.authorization],
    ['half a login', `Basic ${Buffer.from('user').toString('base64')}`],
    ['no base64', 'Basic ü%%%'],
    ['a secret alone', basic('', caller.secret)],
    ['SQL', basic(`' or 1=1 --`, `' or ''='`)],
    ['a forged token', await bearer(forger)],
    ['an expired token', await bearer(demoKey, hoursLater(-3))],
    ['a token of tomorrow', await bearer(demoKey, hoursLater(24))],
    ['an unsigned token', `Bearer ${unsigned}.${payload}.`],
    ['a cut token', `Bearer ${header}.${payload}`],
    ['a swapped token', `Bearer ${payload}.${header}.${signature}`],
    ['a system from elsewhere', closedSystem.authorization],
    ['an unknown scheme', token.replace('Bearer', 'Digest')],
  ].map(([name, authorization]) => ({
    name: name as string,
    headers: authorization ? { Authorization: authorization } : ({} as Record<string, string>),
  }));

  return {
    registrar,
    registrant,
    system,
    acting,
    beyond,
    intruders: [...intruders, beyond],
    markers,
    secrets: [
      caller.secret,
      bystander.secret,
      disabled.secret,
      elsewhere.secret,
      token.slice(7),
      ownSystem.key,
      actingSystem.key,
      limitedSystem.key,
    ],
    registrationCode,
    codes: [...own, linked, ...persons, ...others].map(({ code }) => code),
    uuids: [...own, linked, ...persons, ...others].map(({ uuid }) => uuid),
    personsUuids: [own[0], own[1], linked, ...persons].map(({ uuid }) => uuid),
    prefix: caller.code,
    ownContacts: [...own, linked],
    auctionUuids: planted.map(({ uuid }) => uuid),
    notificationIds: told.map(({ id }) => id),
    /** Contacts that no caller may change. */
    untouchable: others,
    contacts: await db.select().from(contacts),
    auctions: await db.select().from(auctions),
  };
}
