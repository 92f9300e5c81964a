import { and, asc, eq, sql } from 'drizzle-orm';
import { registrars, type SystemRight, systemRights, systems } from '../../drizzle/schema.ts';
import { unknownHolder, updateHolder } from '../certificate/holder.ts';
import type { Database } from '../database/open.ts';
import { RegistryError } from '../error.ts';
import { type Changes, difference } from '../history/changes.ts';
import { addressEntries } from '../registrar/account.ts';
import { digestSecret, generateSecret } from '../registrar/login.ts';
import { asciiUpperCase } from '../text/ascii-case.ts';
import { type Change, type ChangeOptions, type Origin, write } from '../write.ts';

export type SystemAccount = typeof systems.$inferSelect;

/** What the operator sets of a system. */
export type SystemSettings = Pick<SystemAccount, 'rights' | 'allowedIps'>;

export function listSystems(db: Database): Promise<SystemAccount[]> {
  return db.select().from(systems).orderBy(asc(systems.name));
}

/** The system with this name. Throws `not_found`. */
export async function getSystemAccount(db: Database, name: string): Promise<SystemAccount> {
  const [system] = await db.select().from(systems).where(eq(systems.name, name));
  if (system) return system;
  throw unknownHolder(holderNamed(name), 'name');
}

/** Easy to type, and unmistakable in `System: epp`. */
const namePattern = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/**
 * Adds a system and returns its key, by default a new one, which is stored only as a digest; a dry run returns none.
 * Throws `invalid`, `taken`, and `not_found` for a registrar that it would act for.
 */
export async function addSystem(
  db: Database,
  origin: Origin,
  {
    name,
    rights,
    allowedIps,
    key = generateSecret(),
  }: SystemSettings & { name: string; key?: string },
  options: ChangeOptions = {},
): Promise<string | undefined> {
  if (!namePattern.test(name)) {
    const message = `${JSON.stringify(name)} is not a name: use 1 to 64 of a-z, 0-9 and ._-, a letter or digit first`;
    throw new RegistryError('invalid', message, 'name');
  }
  const settings = await checked(db, { rights, allowedIps });
  const at = origin.request.at.toISOString();
  const row = {
    name,
    ...settings,
    keyDigest: await digestSecret(key),
    keyChangedAt: at,
    createdAt: at,
    updatedAt: at,
  };
  const look = () => db.select({ id: systems.id }).from(systems).where(eq(systems.name, name));
  const judge = ([same]: Awaited<ReturnType<typeof look>>): Change<void> => {
    if (same) throw new RegistryError('taken', `there is already a system ${name}`, 'name');
    return {
      by: origin.actor,
      subject: holderNamed(name),
      action: 'create',
      changes: difference({}, { ...settings, keyDigest: row.keyDigest }),
      statements: () => [db.insert(systems).values(row)],
      outcome: undefined,
    };
  };
  await write(db, origin.request, { look, judge }, options);
  return options.isDryRun ? undefined : key;
}

/**
 * Changes what the system may do and where it may call from, effective from the next request. Returns the changed fields.
 * Throws `invalid`, `not_found`.
 */
export async function updateSystem(
  db: Database,
  origin: Origin,
  name: string,
  settings: Partial<SystemSettings>,
  options: ChangeOptions = {},
): Promise<Changes> {
  const values = await checked(db, settings);
  return updateHolder(db, origin, holderNamed(name), options, () => values);
}

/**
 * Gives the system a new key and returns it; a dry run returns none. The old key works until a day after the new one is
 * first used, or, `atOnce`, no longer. Throws `not_found`.
 */
export async function rotateSystem(
  db: Database,
  origin: Origin,
  name: string,
  { atOnce = false, ...options }: ChangeOptions & { atOnce?: boolean } = {},
): Promise<string | undefined> {
  const key = generateSecret();
  const keyDigest = await digestSecret(key);
  await updateHolder(db, origin, holderNamed(name), options, (system) => {
    // A new key that nobody has used may be lost: the one before it goes on working.
    const isUnused = system.previousKeyDigest !== null && system.previousKeyValidUntil === null;
    const previous = isUnused ? system.previousKeyDigest : system.keyDigest;
    return {
      keyDigest,
      keyChangedAt: origin.request.at.toISOString(),
      previousKeyDigest: atOnce ? null : previous,
      previousKeyValidUntil: null,
    };
  });
  return options.isDryRun ? undefined : key;
}

/** Removes the system, with its key and its certificates; the history keeps its name. Throws `not_found`. */
export async function removeSystem(
  db: Database,
  origin: Origin,
  name: string,
  options: ChangeOptions = {},
): Promise<void> {
  const look = () => getSystemAccount(db, name);
  const judge = ({ id, rights, allowedIps }: SystemAccount): Change<void> => ({
    by: origin.actor,
    subject: holderNamed(name),
    action: 'delete',
    changes: difference({ rights, allowedIps }, { rights: null, allowedIps: null }),
    onlyIf: sql`exists (select 1 from ${systems} where id = ${id})`,
    statements: (isWritten) => [db.delete(systems).where(and(eq(systems.id, id), isWritten))],
    outcome: undefined,
  });
  await write(db, origin.request, { look, judge }, options);
}

/** The settings in the form in which they are kept. Throws `invalid` and, for a registrar, `not_found`. */
async function checked<Settings extends Partial<SystemSettings>>(
  db: Database,
  settings: Settings,
): Promise<Settings> {
  const { rights, allowedIps } = settings;
  return {
    ...settings,
    ...(rights && { rights: await checkedRights(db, rights) }),
    ...(allowedIps && { allowedIps: addressEntries(allowedIps) }),
  };
}

async function checkedRights(db: Database, rights: readonly string[]): Promise<SystemRight[]> {
  const distinct = new Set<SystemRight>();
  for (const right of rights) {
    const [word, code] = right.split('=') as [string, string?];
    const known = systemRights.find((each) => each === word);
    if (!known || (code !== undefined && known !== 'act-for')) {
      const message = `${JSON.stringify(right)} is not a right: use ${systemRights.join(', ')} or act-for=<registrar>`;
      throw new RegistryError('invalid', message, 'may');
    }
    if (code === undefined) distinct.add(known);
    else distinct.add(`act-for=${await existingRegistrar(db, asciiUpperCase(code))}`);
  }
  return [...distinct].sort();
}

async function existingRegistrar(db: Database, code: string): Promise<string> {
  if ((await db.$count(registrars, eq(registrars.code, code))) > 0) return code;
  throw new RegistryError('not_found', `there is no registrar ${JSON.stringify(code)}`, 'may');
}

function holderNamed(name: string) {
  return { type: 'system', key: name } as const;
}
