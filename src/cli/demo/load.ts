import { and, inArray, isNull, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import {
  apiUsers,
  auctions,
  contacts,
  disputes,
  domainContacts,
  domains,
  registrars,
  retainedDomains,
} from '../../../drizzle/schema.ts';
import { type Database, openDatabase } from '../../database.ts';
import { parseDomainName } from '../../domain-name.ts';
import type { Env } from '../../env.ts';
import { difference, type Origin, recordIfChanged, type Subject } from '../../history.ts';
import { digestSecret } from '../../registrar.ts';
import { alphaContacts, betaContacts, type DemoContact, demoDomains } from './contacts.ts';
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
const origin: Origin = { actorType: 'operator', actor: 'Demo data', at: new Date(loadedAt) };

/**
 * Loads the demo data, which is the same every time, into a registry that has nothing in it, all at once or
 * not at all; false if there was something. Throws an Error for any but the local environment.
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

/** An insert, and the record that it was done. */
function created(db: Database, insert: BatchItem<'sqlite'>, subject: Subject, row: object) {
  return [insert, recordIfChanged(db, origin, subject, 'create', difference({}, { ...row }))];
}

async function registrarRows(db: Database) {
  const ofRegistrars = demoRegistrars.flatMap(({ id, code, name }) => {
    const row = { id, code, name, ...timestamps };
    return created(db, db.insert(registrars).values(row), { type: 'registrar', key: code }, row);
  });
  const ofUsers = demoUsers.map(async ({ secret, ...user }) => {
    const row = { ...user, secretDigest: await digestSecret(secret), ...timestamps };
    const subject = { type: 'api_user', key: user.username } as const;
    return created(db, db.insert(apiUsers).values(row), subject, row);
  });
  return [...ofRegistrars, ...(await Promise.all(ofUsers)).flat()];
}

async function contactRows(db: Database) {
  const ofContacts = demoRegistrars.flatMap((registrar) =>
    registrar.contacts.map(async (contact, index) => {
      const row = await contactRow(registrar, contact, index + 1);
      const subject = { type: 'contact', key: row.code, uuid: row.uuid } as const;
      return created(db, db.insert(contacts).values(row), subject, row);
    }),
  );
  return (await Promise.all(ofContacts)).flat();
}

async function contactRow(
  registrar: { id: number; code: string },
  { suffix, identity, address, ...fields }: DemoContact,
  number: number,
) {
  const code = `${registrar.code}:${suffix}`;
  const [identType, identCountryCode, ident] = identity;
  const [street, city, zip, countryCode] = address;
  return {
    ...fields,
    ...{ code, number, registrarId: registrar.id },
    ...{ ident, identType, identCountryCode },
    ...{ street, city, zip, countryCode },
    // Looks as random as any, and is the same every time.
    authInfo: (await digestSecret(code)).slice(0, 22),
    creator: origin.actor,
    ...timestamps,
  };
}

function domainRows(db: Database) {
  return demoDomains.flatMap(({ name, registrar, ...roles }) => {
    const registrarId = demoRegistrars.find(({ code }) => code === registrar)!.id;
    const row = { ...parseDomainName(name), registrarId, createdAt: loadedAt };
    const insert = db.insert(domains).values(row);
    const links = (['registrant', 'admin', 'tech'] as const).map((role) =>
      db.insert(domainContacts).values({
        domainId: sql`(select ${domains.id} from ${domains} where ${domains.name} = ${name})`,
        contactId: sql`(
          select ${contacts.id} from ${contacts} where ${contacts.code} = ${`${registrar}:${roles[role]}`}
        )`,
        role,
      }),
    );
    return [...created(db, insert, { type: 'domain', key: name }, { ...row, ...roles }), ...links];
  });
}

function auctionRows(db: Database) {
  return demoAuctions.flatMap(({ name, ...auction }) => {
    const row = { ...auction, ...parseDomainName(name), ...timestamps };
    const subject = { type: 'auction', key: name, uuid: auction.uuid } as const;
    return created(db, db.insert(auctions).values(row), subject, row);
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
