import { and, inArray, isNull, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import {
  apiUsers,
  auctions,
  contacts,
  dailyCounts,
  disputes,
  domainContacts,
  domainRoles,
  domains,
  registrars,
  retainedDomains,
} from '../../../drizzle/schema.ts';
import { currentTime } from '../../clock.ts';
import { identityKey } from '../../contact/identity-code.ts';
import { type Database, openDatabase } from '../../database/open.ts';
import { dayOf } from '../../day.ts';
import { parseDomainName } from '../../domain/name.ts';
import type { Env } from '../../env.ts';
import { difference, type Subject } from '../../history/changes.ts';
import { digestSecret } from '../../registrar/login.ts';
import { type Origin, statementsOf } from '../../write.ts';
import { alphaContacts, betaContacts, type DemoContact, demoDomains } from './contacts.ts';
import { demoDailyCounts } from './daily-counts.ts';
import { blockedNames, demoAuctions, demoDisputes, reservedNames } from './names.ts';

const demoRegistrars = [
  { id: 1, code: 'ALPHA', name: 'Alpha Domeenid OÜ', contacts: alphaContacts },
  { id: 2, code: 'BETA', name: 'Beta Veebimajutus AS', contacts: betaContacts },
];

/** Known to everybody who reads this, so never a login of a deployed registry. */
const demoUsers = [
  { id: 1, registrarId: 1, username: 'alpha', secret: 'alpha-demo-secret' },
  { id: 2, registrarId: 2, username: 'beta', secret: 'beta-demo-secret' },
];

const loadedAt = '2025-03-14T09:26:53.589Z';
const origin: Origin = {
  actor: { type: 'operator', name: 'Demo data' },
  request: { at: new Date(loadedAt), requestId: 'demo-data' },
};

/**
 * Loads the demo data into a registry that has nothing in it, all at once or not at all; false if there was something. It
 * is the same every time, except that the daily counts end today. Throws an Error for any but the local environment.
 */
export async function loadDemoData(env: Env): Promise<boolean> {
  if (env.ENVIRONMENT !== 'local') throw new Error('demo data is for the local environment alone');
  const db = openDatabase(env.DB);
  if (!(await isEmpty(db))) return false;
  await db.batch([
    ...(await registrarRows(db)),
    ...(await contactRows(db)),
    ...domainRows(db),
    ...auctionRows(db),
    ...retainedRows(db),
    dailyCountRows(db),
  ] as unknown as [BatchItem<'sqlite'>]);
  return true;
}

/** Whether a demo user may log in with the secret that everybody knows. */
export async function hasDemoUsers(env: Env): Promise<boolean> {
  const digests = await Promise.all(demoUsers.map(({ secret }) => digestSecret(secret)));
  const db = openDatabase(env.DB);
  const isActive = and(inArray(apiUsers.secretDigest, digests), isNull(apiUsers.disabledAt));
  return (await db.$count(apiUsers, isActive)) > 0;
}

async function isEmpty(db: Database): Promise<boolean> {
  const tables = [registrars, auctions, retainedDomains, disputes];
  const filled = tables.map((table) => sql`exists (select 1 from ${table})`);
  const [row] = await db.all<{ filled: number }>(
    sql`select ${sql.join(filled, sql` or `)} as filled`,
  );
  return row?.filled === 0;
}

const timestamps = { createdAt: loadedAt, updatedAt: loadedAt };

/** An insert, and the record that it was done, with what the registry itself would record. */
function created(db: Database, insert: BatchItem<'sqlite'>, subject: Subject, recorded: object) {
  return statementsOf(db, origin.request, {
    by: origin.actor,
    subject,
    action: 'create',
    changes: difference({}, { ...recorded }),
    statements: () => [insert],
  });
}

async function registrarRows(db: Database) {
  const ofRegistrars = demoRegistrars.flatMap(({ id, code, name }) => {
    const recorded = { code, name, allowedIps: [], ...timestamps };
    const insert = db.insert(registrars).values({ id, ...recorded });
    return created(db, insert, { type: 'registrar', key: code }, recorded);
  });
  const ofUsers = demoUsers.map(async ({ secret, ...user }) => {
    const { username, registrarId } = user;
    const row = { ...user, secretDigest: await digestSecret(secret), ...timestamps };
    const registrarCode = demoRegistrars.find(({ id }) => id === registrarId)!.code;
    const subject = { type: 'api_user', key: username } as const;
    return created(db, db.insert(apiUsers).values(row), subject, {
      ...{ username, secretDigest: row.secretDigest, registrarCode },
      ...timestamps,
    });
  });
  return [...ofRegistrars, ...(await Promise.all(ofUsers)).flat()];
}

async function contactRows(db: Database) {
  const ofContacts = demoRegistrars.flatMap((registrar) =>
    registrar.contacts.map(async (contact, index) => {
      const { uuid } = contact;
      const code = `${registrar.code}:${contact.suffix}`;
      const fields = await contactFieldsOf(code, contact);
      const insert = db.insert(contacts).values({
        ...{ uuid, code, number: index + 1, registrarId: registrar.id, creator: origin.actor.name },
        ...fields,
        identKey: identityKey(fields.ident),
        ...timestamps,
      });
      return created(db, insert, { type: 'contact', key: code, uuid }, fields);
    }),
  );
  return (await Promise.all(ofContacts)).flat();
}

async function contactFieldsOf(
  code: string,
  { uuid, suffix, identity, address, ...fields }: DemoContact,
) {
  const [identType, identCountryCode, ident] = identity;
  const [street, city, zip, countryCode] = address;
  return {
    ...fields,
    ...{ ident, identType, identCountryCode },
    ...{ street, city, zip, countryCode },
    // Looks as random as any, and is the same every time.
    authInfo: (await digestSecret(code)).slice(0, 22),
  };
}

function domainRows(db: Database) {
  return demoDomains.flatMap(({ name, registrar, ...suffixes }) => {
    const registrarId = demoRegistrars.find(({ code }) => code === registrar)!.id;
    const insert = db
      .insert(domains)
      .values({ ...parseDomainName(name), registrarId, createdAt: loadedAt });
    const codeOf = (role: (typeof domainRoles)[number]) => `${registrar}:${suffixes[role]}`;
    const recorded = {
      registrar,
      registrant: codeOf('registrant'),
      admin: [codeOf('admin')],
      tech: [codeOf('tech')],
    };
    const links = domainRoles.map((role) =>
      db.insert(domainContacts).values({
        domainId: sql`(select ${domains.id} from ${domains} where ${domains.name} = ${name})`,
        contactId: sql`(select ${contacts.id} from ${contacts} where ${contacts.code} = ${codeOf(role)})`,
        role,
      }),
    );
    return [...created(db, insert, { type: 'domain', key: name }, recorded), ...links];
  });
}

function auctionRows(db: Database) {
  return demoAuctions.flatMap(({ name, ...auction }) => {
    const row = { ...auction, ...parseDomainName(name), ...timestamps };
    const subject = { type: 'auction', key: name, uuid: auction.uuid } as const;
    const { punycode, status, registrationCode } = row;
    const recorded = { name, punycode, status, registrationCode };
    return created(db, db.insert(auctions).values(row), subject, recorded);
  });
}

function retainedRows(db: Database) {
  const ofNames = (names: string[], status: 'reserved' | 'blocked') =>
    names.flatMap((name) => {
      const row = { ...parseDomainName(name), status, createdAt: loadedAt };
      const insert = db.insert(retainedDomains).values(row);
      return created(db, insert, { type: 'retained_domain', key: name }, { status });
    });
  const ofDisputes = demoDisputes.flatMap(([name, firstDay, lastDay]) => {
    const row = { ...parseDomainName(name), firstDay, lastDay, createdAt: loadedAt };
    const insert = db.insert(disputes).values(row);
    return created(db, insert, { type: 'dispute', key: name }, { firstDay, lastDay });
  });
  return [
    ...ofNames(reservedNames, 'reserved'),
    ...ofNames(blockedNames, 'blocked'),
    ...ofDisputes,
  ];
}

/** Takes the place of what the cron has counted while the registry was empty. */
function dailyCountRows(db: Database) {
  const rows = demoDailyCounts(dayOf(currentTime())).flatMap(({ day, counts }) =>
    Object.entries(counts).map(([list, count]) => [day, list, count]),
  );
  // SQLite takes the conflict clause for a join without the condition.
  const values = sql`select value ->> 0, value ->> 1, value ->> 2
    from json_each(${JSON.stringify(rows)}) where true`;
  return db
    .insert(dailyCounts)
    .select(values)
    .onConflictDoUpdate({
      target: [dailyCounts.day, dailyCounts.list],
      set: { count: sql`excluded.count` },
    });
}
