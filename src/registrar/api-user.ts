import { asc, eq, sql } from 'drizzle-orm';
import { apiUsers, registrars } from '../../drizzle/schema.ts';
import { updateHolder } from '../certificate/holder.ts';
import type { Database } from '../database/open.ts';
import { RegistryError } from '../error.ts';
import { difference } from '../history/changes.ts';
import { type Change, type ChangeOptions, type Origin, write } from '../write.ts';
import { unknownRegistrar } from './account.ts';
import { digestSecret, generateSecret } from './login.ts';

/** Lists the API users of one registrar or of all, by registrar and username, without their secrets. */
export function listApiUsers(db: Database, registrarCode?: string) {
  return db
    .select({
      id: apiUsers.id,
      username: apiUsers.username,
      registrarCode: registrars.code,
      /** Null if the user may log in. */
      disabledAt: apiUsers.disabledAt,
      /** Whether the secret is still the password from a former registry. */
      hasOldPassword: sql<boolean>`${apiUsers.secretDigest} is null`.mapWith(Boolean),
      /** When the user got the secret, and the one before it, until the cron forgets that. */
      secretChangedAt: apiUsers.secretChangedAt,
      previousSecretChangedAt: apiUsers.previousSecretChangedAt,
      /** When the one before ends; null until the new one is first used. */
      previousSecretValidUntil: apiUsers.previousSecretValidUntil,
      createdAt: apiUsers.createdAt,
      updatedAt: apiUsers.updatedAt,
    })
    .from(apiUsers)
    .innerJoin(registrars, eq(registrars.id, apiUsers.registrarId))
    .where(registrarCode === undefined ? undefined : eq(registrars.code, registrarCode))
    .orderBy(asc(registrars.code), asc(apiUsers.username));
}

/** Usable in Basic authentication (RFC 7617), where a colon ends the username, and easy to type. */
const usernamePattern = /^[A-Za-z0-9._@+-]{1,64}$/;

/**
 * Adds an API user and returns the secret, by default a new one, which is stored only as a digest; a dry run returns
 * none. Throws `invalid`, `not_found` for the registrar, `taken`.
 */
export async function addApiUser(
  db: Database,
  origin: Origin,
  {
    username,
    registrarCode,
    secret = generateSecret(),
  }: { username: string; registrarCode: string; secret?: string },
  options: ChangeOptions = {},
): Promise<string | undefined> {
  if (!usernamePattern.test(username)) {
    throw new RegistryError(
      'invalid',
      `${JSON.stringify(username)} is not a username: use 1 to 64 of A-Z, a-z, 0-9 and ._@+-`,
      'username',
    );
  }
  const secretDigest = await digestSecret(secret);
  const at = origin.request.at.toISOString();
  const look = () =>
    db.batch([
      db.select({ id: registrars.id }).from(registrars).where(eq(registrars.code, registrarCode)),
      db.select({ id: apiUsers.id }).from(apiUsers).where(eq(apiUsers.username, username)),
    ]);
  const judge = ([[registrar], [same]]: Awaited<ReturnType<typeof look>>): Change<void> => {
    if (!registrar) throw unknownRegistrar(registrarCode);
    if (same) {
      throw new RegistryError('taken', `there is already an API user ${username}`, 'username');
    }
    const secret = { secretDigest, secretChangedAt: at };
    const user = { username, ...secret, registrarId: registrar.id, createdAt: at, updatedAt: at };
    return {
      by: origin.actor,
      subject: holderNamed(username),
      action: 'create',
      changes: difference({}, { username, registrarCode, secretDigest }),
      statements: () => [db.insert(apiUsers).values(user)],
      outcome: undefined,
    };
  };
  await write(db, origin.request, { look, judge }, options);
  return options.isDryRun ? undefined : secret;
}

/**
 * Gives the user a new secret and returns it; whatever let the user in before stops working at once. A dry run returns
 * none. Throws `not_found`.
 */
export async function rotateApiUser(
  db: Database,
  origin: Origin,
  username: string,
  options: ChangeOptions = {},
): Promise<string | undefined> {
  const secret = generateSecret();
  const secretDigest = await digestSecret(secret);
  await updateHolder(db, origin, holderNamed(username), options, () => ({
    secretDigest,
    secretChangedAt: origin.request.at.toISOString(),
    passwordHash: null,
    previousSecretDigest: null,
    previousSecretChangedAt: null,
    previousSecretValidUntil: null,
  }));
  return options.isDryRun ? undefined : secret;
}

function holderNamed(username: string) {
  return { type: 'api_user', key: username } as const;
}
