import { and, asc, eq, isNull } from 'drizzle-orm';
import { apiUsers, registrars } from '../../drizzle/schema.ts';
import type { Database } from '../database/open.ts';
import { isUniqueViolation } from '../database/violations.ts';
import { RegistryError } from '../error.ts';
import { difference, recordIfChanged } from '../history/changes.ts';
import type { ChangeOptions, Origin } from '../write.ts';
import { unknownRegistrar } from './account.ts';
import { digestSecret, generateSecret } from './login.ts';

/** An API user as the operator sees it, without the secret or its digest. */
export interface ApiUserAccount {
  id: number;
  username: string;
  registrarCode: string;
  /** Null if the user may log in. */
  disabledAt: string | null;
  createdAt: string;
  updatedAt: string;
}

const accountColumns = {
  id: apiUsers.id,
  username: apiUsers.username,
  registrarCode: registrars.code,
  disabledAt: apiUsers.disabledAt,
  createdAt: apiUsers.createdAt,
  updatedAt: apiUsers.updatedAt,
};

/** The API users of one registrar, or of all, by registrar and username. */
export async function listApiUsers(db: Database, registrarCode?: string) {
  return db
    .select(accountColumns)
    .from(apiUsers)
    .innerJoin(registrars, eq(registrars.id, apiUsers.registrarId))
    .where(registrarCode === undefined ? undefined : eq(registrars.code, registrarCode))
    .orderBy(asc(registrars.code), asc(apiUsers.username));
}

async function getApiUser(db: Database, username: string): Promise<ApiUserAccount> {
  const [user] = await db
    .select(accountColumns)
    .from(apiUsers)
    .innerJoin(registrars, eq(registrars.id, apiUsers.registrarId))
    .where(eq(apiUsers.username, username));
  if (user) return user;
  throw new RegistryError(
    'not_found',
    `there is no API user ${JSON.stringify(username)}`,
    'username',
  );
}

/** Usable in Basic authentication (RFC 7617), where a colon ends the username, and easy to type. */
const usernamePattern = /^[A-Za-z0-9._@+-]{1,64}$/;

/**
 * Adds an API user and returns the new secret, which is stored only as a digest; a dry run returns none. Throws
 * `invalid`, `not_found` for the registrar, `taken`.
 */
export async function addApiUser(
  db: Database,
  origin: Origin,
  { username, registrarCode }: Pick<ApiUserAccount, 'username' | 'registrarCode'>,
  { isDryRun = false }: ChangeOptions = {},
): Promise<string | undefined> {
  if (!usernamePattern.test(username)) {
    throw new RegistryError(
      'invalid',
      `${JSON.stringify(username)} is not a username: use 1 to 64 of A-Z, a-z, 0-9 and ._@+-`,
      'username',
    );
  }
  const taken = () =>
    new RegistryError('taken', `there is already an API user ${username}`, 'username');
  const [[registrar], [same]] = await db.batch([
    db.select({ id: registrars.id }).from(registrars).where(eq(registrars.code, registrarCode)),
    db.select({ id: apiUsers.id }).from(apiUsers).where(eq(apiUsers.username, username)),
  ]);
  if (!registrar) throw unknownRegistrar(registrarCode);
  if (same) throw taken();
  if (isDryRun) return undefined;
  const secret = generateSecret();
  const at = origin.request.at.toISOString();
  const user = { username, secretDigest: await digestSecret(secret), createdAt: at, updatedAt: at };
  const { secretDigest } = user;
  const recorded = difference({}, { username, registrarCode, secretDigest });
  try {
    await db.batch([
      db.insert(apiUsers).values({ ...user, registrarId: registrar.id }),
      recordIfChanged(db, origin, { type: 'api_user', key: username }, 'create', recorded),
    ]);
  } catch (error) {
    if (isUniqueViolation(error, 'api_users.username')) throw taken();
    throw error;
  }
  return secret;
}

/**
 * Gives the user a new secret and returns it; the old one stops working. A dry run returns none. Throws `not_found`.
 */
export async function rotateApiUser(
  db: Database,
  origin: Origin,
  username: string,
  { isDryRun = false }: ChangeOptions = {},
): Promise<string | undefined> {
  await getApiUser(db, username);
  if (isDryRun) return undefined;
  const secret = generateSecret();
  const values = {
    secretDigest: await digestSecret(secret),
    updatedAt: origin.request.at.toISOString(),
  };
  const recorded = difference({}, { secretDigest: values.secretDigest });
  await db.batch([
    db.update(apiUsers).set(values).where(eq(apiUsers.username, username)),
    recordIfChanged(db, origin, { type: 'api_user', key: username }, 'update', recorded),
  ]);
  return secret;
}

/**
 * Disables or re-enables the user, effective from the next request; returns whether that is a change. Throws
 * `not_found`.
 */
export async function setApiUserDisabled(
  db: Database,
  origin: Origin,
  { username, isDisabled }: { username: string; isDisabled: boolean },
  { isDryRun = false }: ChangeOptions = {},
): Promise<boolean> {
  const { disabledAt: before } = await getApiUser(db, username);
  if ((before !== null) === isDisabled) return false;
  if (isDryRun) return true;
  const at = origin.request.at.toISOString();
  const disabledAt = isDisabled ? at : null;
  const isAsSeen = before === null ? isNull(apiUsers.disabledAt) : eq(apiUsers.disabledAt, before);
  const [updated] = await db.batch([
    db
      .update(apiUsers)
      .set({ disabledAt, updatedAt: at })
      .where(and(eq(apiUsers.username, username), isAsSeen)),
    recordIfChanged(
      db,
      origin,
      { type: 'api_user', key: username },
      'update',
      difference({ disabledAt: before }, { disabledAt }),
    ),
  ]);
  return updated.meta.changes > 0;
}
