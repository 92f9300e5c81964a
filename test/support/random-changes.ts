import { asc, eq, inArray } from 'drizzle-orm';
import {
  contacts,
  disputes,
  domainContacts,
  domains,
  registrars,
  retainedDomains,
} from '../../drizzle/schema.ts';
import type { Database } from '../../src/base/database/open.ts';
import type { Env } from '../../src/base/env.ts';
import { RegistryError } from '../../src/base/error.ts';
import type { Origin } from '../../src/change/origin.ts';
import { deleteAnyContact, updateAnyContact } from '../../src/contact/operator/administer.ts';
import { eraseContact } from '../../src/contact/operator/erase.ts';
import { importContacts } from '../../src/contact/operator/import.ts';
import { transferContact } from '../../src/contact/operator/transfer.ts';
import { cancelAuction } from '../../src/name/auction/cancel.ts';
import { correctAuction } from '../../src/name/auction/operator/correct.ts';
import { startAuctions } from '../../src/name/auction/operator/start.ts';
import { importDomains } from '../../src/name/domain/operator/import.ts';
import { parseDomainName } from '../../src/name/domain/operator/name.ts';
import { updateDomain } from '../../src/name/domain/operator/update.ts';
import { removeDomains } from '../../src/name/domain/save.ts';
import { transferDomain } from '../../src/name/domain/transfer.ts';
import { removeRetainedDomains } from '../../src/name/retained/change-names.ts';
import { addRetainedDomains } from '../../src/name/retained/operator/change-names.ts';
import { closeDispute, openDispute } from '../../src/name/retained/operator/dispute.ts';
import { addRegistrar, contactValues, unique } from './fixtures.ts';

/** Two registrars with three codes each, and three names: few, so that what is made meets what was there. */
export async function newPool(env: Env) {
  const both = [await addRegistrar(env), await addRegistrar(env)];
  return {
    registrars: both.map(({ code }) => code),
    logins: both.map(({ login }) => login),
    codes: both.flatMap(({ code }) => [1, 2, 3].map((n) => `${code}:${n}`)),
    names: [1, 2, 3].map(() => parseDomainName(`õ${unique()}.ee`)),
  };
}

export type Pool = Awaited<ReturnType<typeof newPool>>;

/** Everything that the pool has. Contacts are told apart by their UUIDs, since codes are given to others. */
export async function snapshotOf(
  db: Database,
  { codes, names }: Pick<Pool, 'codes' | 'names'>,
): Promise<Map<string, unknown>> {
  const uniqueNames = names.map(({ name }) => name);
  const people = await db
    .select({ contact: contacts, registrar: registrars.code })
    .from(contacts)
    .innerJoin(registrars, eq(registrars.id, contacts.registrarId))
    .where(inArray(contacts.code, codes));
  const links = await db
    .select({ domain: domains, role: domainContacts.role, uuid: contacts.uuid })
    .from(domains)
    .leftJoin(domainContacts, eq(domainContacts.domainId, domains.id))
    .leftJoin(contacts, eq(contacts.id, domainContacts.contactId))
    .where(inArray(domains.name, uniqueNames))
    .orderBy(asc(domainContacts.role), asc(contacts.uuid));
  const kept = await db
    .select()
    .from(retainedDomains)
    .where(inArray(retainedDomains.name, uniqueNames));
  const disputed = await db
    .select()
    .from(disputes)
    .where(inArray(disputes.name, uniqueNames))
    .orderBy(asc(disputes.firstDay), asc(disputes.lastDay));
  return new Map<string, unknown>([
    ...people.map(({ contact: { code, uuid, city, createdAt }, registrar }): [string, unknown] => [
      `contact ${code}`,
      { uuid, city, registrar, createdAt },
    ]),
    ...Array.from(
      Map.groupBy(links, ({ domain }) => domain.name),
      ([name, some]): [string, unknown] => [
        `domain ${name}`,
        {
          registrar: some[0]!.domain.registrarId,
          createdAt: some[0]!.domain.createdAt,
          contacts: some.map(({ role, uuid }) => `${role} ${uuid}`),
        },
      ],
    ),
    ...kept.map(({ name, status, lastDay, createdAt }): [string, unknown] => [
      `retained_domain ${name} ${status}`,
      { lastDay, createdAt },
    ]),
    ...Array.from(
      Map.groupBy(disputed, ({ name }) => name),
      ([name, some]): [string, unknown] => [
        `dispute ${name}`,
        some.map(({ firstDay, lastDay, ...times }) => [
          firstDay,
          lastDay,
          times.closedAt,
          times.createdAt,
        ]),
      ],
    ),
  ]);
}

export type Numbers = readonly [number, number, number];
type Command = (db: Database, origin: Origin, pool: Pool, numbers: Numbers) => Promise<unknown>;

const at = <Item>(items: readonly Item[], n: number): Item => items[n % items.length]!;
export const domainOf = ({ names, registrars, codes }: Pool, [a, b, c]: Numbers) => ({
  ...at(names, a),
  registrar: at(registrars, b),
  registrant: at(codes, c),
  ...{ admin: [at(codes, b)], tech: b % 2 === 0 ? [] : [at(codes, a), at(codes, c)] },
});
const lastDays = [null, '2026-05-31', '2026-06-01', '2027-01-31'];
const retained = ({ names }: Pool, [a, b, c]: Numbers) => {
  const isReserved = b % 2 === 0;
  const status = isReserved ? ('reserved' as const) : ('blocked' as const);
  return [at(names, a), at(names, c)].map((name) => {
    return { ...name, status, lastDay: isReserved ? at(lastDays, c) : null };
  });
};
/** Two persons have every registrar's contacts. */
export const personOf = (code: string) => ({
  ident: at(['38001085718', '49403136526'], Number(code.at(-1))),
});
const add: Command = (db, origin, { codes }, [a, b]) =>
  importContacts(
    { db, origin },
    [...new Set([at(codes, a), at(codes, b)])].map((code) => {
      return {
        ...contactValues,
        ...personOf(code),
        code,
        registrar: code.split(':')[0]!,
        uuid: crypto.randomUUID(),
      };
    }),
  );

export const commands: Record<string, Command> = {
  'import contacts': add,
  'update contact': (db, origin, { codes }, [a, b]) =>
    updateAnyContact({ db, origin }, at(codes, a), { city: `Linn ${b}` }),
  'delete contact': (db, origin, { codes }, [a]) => deleteAnyContact({ db, origin }, at(codes, a)),
  'import domains': (db, origin, pool, [a, b, c]) =>
    importDomains({ db, origin }, [domainOf(pool, [a, b, c]), domainOf(pool, [b, c, a])]),
  'import contacts and a domain': async (db, origin, pool, [a, b, c]) => {
    await add(db, origin, pool, [b, c, a]);
    await importDomains({ db, origin }, [domainOf(pool, [a, b, c])]);
  },
  'update domain': (db, origin, pool, [a, b, c]) => {
    const { registrant, admin } = domainOf(pool, [a, b, c]);
    return updateDomain({ db, origin }, at(pool.names, a), { registrant, admin });
  },
  'remove domains': (db, origin, { names }, [a, b]) =>
    removeDomains({ db, origin }, [at(names, a).name, at(names, b).name]),
  'transfer domain': (db, origin, { names, registrars }, [a, b]) =>
    transferDomain({ db, origin }, at(names, a), at(registrars, b)),
  'retain names': (db, origin, pool, numbers) =>
    addRetainedDomains({ db, origin }, retained(pool, numbers)),
  'release names': (db, origin, pool, numbers) =>
    removeRetainedDomains({ db, origin }, retained(pool, numbers)),
  'open dispute': (db, origin, { names }, [a, b]) =>
    openDispute(
      { db, origin },
      {
        ...at(names, a),
        ...{ firstDay: `202${5 + (b % 3)}-01-01`, lastDay: `202${5 + (b % 3)}-12-31` },
      },
    ),
  'close dispute': (db, origin, { names }, [a]) =>
    closeDispute({ db, origin }, { ...at(names, a), reason: 'settled' }),
};

/** These, and those that cannot be undone, or that others than the operator give. */
export const everyCommand: typeof commands = {
  ...commands,
  'start auction': (db, origin, { names }, [a]) => startAuctions({ db, origin }, [at(names, a)]),
  'correct auction': (db, origin, { names }, [a, b]) => {
    const status = at(['started', 'no_bids', 'payment_received'] as const, b);
    return correctAuction({ db, origin }, { auction: at(names, a).name, status, reason: 'test' });
  },
  'cancel auction': (db, origin, { names }, [a]) =>
    cancelAuction({ db, origin }, { auction: at(names, a).name, reason: 'test' }),
  'erase contact': (db, origin, { codes }, [a]) => eraseContact({ db, origin }, at(codes, a)),
  'transfer contact': (db, origin, { codes, registrars }, [a, b]) =>
    transferContact({ db, origin }, at(codes, a), at(registrars, b)),
};

/** The result, or undefined if the registry refuses. */
export async function unlessRefused<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof RegistryError && error.reason !== 'unexpected') return undefined;
    throw error;
  }
}
