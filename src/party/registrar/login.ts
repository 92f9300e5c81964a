import { isNull, type SQL, sql } from 'drizzle-orm';
import type { BatchItem, BatchResponse } from 'drizzle-orm/batch';
import { apiUsers, registrars } from '../../../drizzle/schema.ts';
import { parseAddressList } from '../../base/address-list.ts';
import type { Database } from '../../base/database/open.ts';
import { prepared } from '../../base/database/prepared-query.ts';
import { retry } from '../../base/database/retry.ts';
import { type LoginRefusal, RegistryError } from '../../base/error.ts';
import type { Actor, WriteRequest } from '../../change/origin.ts';
import { digestSecret } from '../credential/holder.ts';
import { hasSecret, isFirstUse, presentedCertificate } from '../credential/login.ts';
import { isPasswordOf, rememberVerified, verifiedHash } from './password.ts';

export type Login = UserLogin | ActingLogin;

export interface RegistrarCall {
  db: Database;
  login: Login;
  request: WriteRequest;
}

/** A claim to be an API user, checked in the round trip of the first query. */
export interface UserLogin {
  username: string;
  secret: string;
  secretDigest: string;
  passwordHash: string | null;
  address: string | undefined;
  certificate: string | null;
  /** ISO 8601, since a replaced secret works for a limited time. */
  at: string;
  /** Called before each slow hash; throws if the login may not take another. */
  beforeSlowHash?: () => Promise<void>;
  /** Called at the first use of a secret that replaced another. */
  onFirstUse?: () => void;
  /** Called with the id of a certificate at its first use. */
  onFirstPresented?: (certificateId: number) => void;
  /** Set when the claim has been checked. */
  caller?: Caller;
}

/** The checked login of a system that acts for a registrar. */
export interface ActingLogin {
  at: string;
  caller: Caller;
}

export interface Caller {
  registrarId: number;
  registrarCode: string;
  contactCount: number;
  actor: Actor;
}

export function isApiUser(login: Login): login is UserLogin {
  return 'username' in login;
}

export async function loginOf(
  username: string,
  secret: string,
  at: Date,
  { address, certificate = null }: Partial<Pick<UserLogin, 'address' | 'certificate'>> = {},
): Promise<UserLogin> {
  const claim = { username, secretDigest: await digestSecret(secret) };
  const passwordHash = verifiedHash(claim);
  return { ...claim, secret, passwordHash, address, certificate, at: at.toISOString() };
}

/**
 * The plus hides the index on usernames from SQLite. An unknown user and a wrong secret both miss the indexes on digest
 * and hash, in the same time.
 */
const isCaller = (claim: Record<'username' | 'secretDigest' | 'passwordHash' | 'at', unknown>) =>
  sql`${hasSecret('api_user', claim)} and +${apiUsers.username} = ${claim.username} and ${isEnabled}`;

const isEnabled = isNull(apiUsers.disabledAt);

const placeholders = {
  secretDigest: sql.placeholder('secretDigest'),
  passwordHash: sql.placeholder('passwordHash'),
  username: sql.placeholder('username'),
  at: sql.placeholder('at'),
};

/** The registrar's id for a prepared query with `loginValues`; null if the user is refused. */
export const registrarOfLogin = sql<number>`ifnull(${sql.placeholder('registrarId')}, (
  select registrar_id from ${apiUsers} where ${isCaller(placeholders)}))`;

const noUser = { username: null, secretDigest: null, passwordHash: null, certificate: null };

export function loginValues(login: Login) {
  const { at } = login;
  if (!isApiUser(login)) return { ...noUser, at, registrarId: login.caller.registrarId };
  const { username, secretDigest, passwordHash, certificate } = login;
  return { username, secretDigest, passwordHash, certificate, at, registrarId: null };
}

type LoginRow =
  | (Omit<Caller, 'actor'> & {
      id: number;
      username: string;
      allowedIps: string;
      isFirstUse: number;
      certificateId: number | null;
      passwordHash: null;
    })
  | { id: null; username: string | null; passwordHash: string };

/**
 * Returns the caller, or a row without an id and the hash to verify the password against: the user's or, without a
 * username, another user's, so that every refused login waits for a slow hash. Each part is read only if the earlier
 * ones are empty.
 */
const callerOf = prepared<LoginRow>(
  () => sql`
    select ${apiUsers.id} as id, username, registrar_id as "registrarId", code as "registrarCode",
      contact_count as "contactCount", allowed_ips as "allowedIps",
      ${isFirstUse('api_user', placeholders.secretDigest)} as "isFirstUse",
      ${presentedCertificate('api_user', sql.placeholder('certificate'), placeholders.at)} as certificateId,
      null as "passwordHash"
    from ${apiUsers} join ${registrars} on ${registrars.id} = registrar_id
    where ${isCaller(placeholders)} and suspended_at is null
      and (certificate_required = 0 or certificateId is not null)
    union all select null, username, null, null, null, null, null, null, password_hash from ${apiUsers}
    where username = ${placeholders.username} and password_hash is not null
    union all select null, null, null, null, null, null, null, null, password_hash from ${apiUsers}
    where password_hash is not null
    limit 1`,
);

/**
 * Checks the login and runs `queries` in one round trip, or two for the first login with a password. The registrar's id
 * that scopes the queries is an SQL expression, null if the user is refused. A system needs at least one query. Throws
 * `address_denied`, and `unauthorized` for all other refusals alike.
 */
export async function withLogin<const Queries extends readonly BatchItem<'sqlite'>[]>(
  db: Database,
  login: Login,
  queries: (registrarId: SQL<number>) => Queries,
): Promise<[Caller, ...BatchResponse<Queries>]> {
  if (!isApiUser(login)) {
    const { caller } = login;
    const [first, ...others] = queries(sql<number>`${caller.registrarId}`);
    return [caller, ...((await db.batch([first!, ...others])) as BatchResponse<Queries>)];
  }
  const runBatch = () => {
    const registrarId = sql<number>`(select registrar_id from ${apiUsers} where ${isCaller(login)})`;
    return db.batch([callerOf(db, loginValues(login)), ...queries(registrarId)]);
  };
  let [[row], ...results] = await runBatch();
  if (row?.id === null && (await verifyPassword(login, row))) {
    [[row], ...results] = await runBatch();
    // Keeps response times equal for other refusals.
    if (row && row.id !== null) rememberVerified(login, login.passwordHash!);
  }
  if (!row || row.id === null) {
    throw new RegistryError('unauthorized', 'Invalid authorization information');
  }
  const { id, username, registrarId, registrarCode, contactCount } = row;
  const { address = 'unknown' } = login;
  if (!isAllowed(row.allowedIps, login.address)) {
    throw new RegistryError('address_denied', `Access denied from IP ${address}`);
  }
  const name = `${id}-ApiUser: ${username}`;
  const actor = { type: 'api_user', name, keyHolder: `registrar:${registrarId}` } as const;
  const caller = { registrarId, registrarCode, contactCount, actor };
  login.caller = caller;
  if (row.isFirstUse) login.onFirstUse?.();
  if (row.certificateId) login.onFirstPresented?.(row.certificateId);
  return [caller, ...(results as BatchResponse<Queries>)];
}

async function verifyPassword(
  login: UserLogin,
  { username, passwordHash: stored }: Pick<LoginRow, 'username'> & { passwordHash: string },
): Promise<boolean> {
  if (login.passwordHash === stored) return false;
  await login.beforeSlowHash?.();
  if (!(await isPasswordOf(stored, login.secret)) || username === null) return false;
  login.passwordHash = stored;
  return true;
}

/** An empty list allows every address. */
function isAllowed(json: string, address: string | undefined): boolean {
  const allowedIps: string[] = JSON.parse(json);
  return allowedIps.length === 0 || parseAddressList(allowedIps).includes(address);
}

/**
 * Lists every reason for `withLogin` to refuse the login, in the order of its steps; without a secret, the others. Its
 * duration may reveal whether a username exists, so only the operator may use it.
 */
export async function findRefusals(
  db: Database,
  login: UserLogin | Pick<UserLogin, 'username' | 'address' | 'certificate' | 'at'>,
): Promise<LoginRefusal[]> {
  const { username, address, certificate, at } = login;
  const certificateId = presentedCertificate('api_user', certificate, at);
  const [user] = await db.all<Record<string, LoginRefusal | null> & { allowedIps: string }>(sql`
    select iif(${'secret' in login ? hasSecret('api_user', login) : sql`true`}, null, 'wrong secret') as secret,
      iif(${isEnabled}, null, 'disabled') as user, iif(suspended_at is null, null, 'suspended') as registrar,
      iif(certificate_required and ${certificateId} is null, 'certificate', null) as certificate,
      allowed_ips as "allowedIps"
    from ${apiUsers} join ${registrars} on ${registrars.id} = registrar_id
    where username = ${username}`);
  if (!user) return ['unknown user'];
  const { allowedIps, ...refusals } = user;
  const ofAddress = isAllowed(allowedIps, address) ? null : ('address' as const);
  const all: (LoginRefusal | null)[] = [...Object.values(refusals), ofAddress];
  return all.filter((refusal) => refusal !== null);
}

/** `withLogin` for queries that only read: retries transient faults of D1. */
export function readWithLogin<const Queries extends readonly BatchItem<'sqlite'>[]>(
  db: Database,
  login: Login,
  queries: (registrarId: SQL<number>) => Queries,
): Promise<[Caller, ...BatchResponse<Queries>]> {
  return retry(() => withLogin(db, login, queries));
}

/** Returns the `keyHolder` of the login's actor, for a query that may run before the check. */
export function keyHolderOf(login: Login, registrarId: SQL<number>): SQL {
  if (isApiUser(login)) return sql`'registrar:' || ${registrarId}`;
  return sql`${login.caller.actor.keyHolder ?? null}`;
}

/** Throws what `withLogin` throws. */
export async function authenticate(db: Database, login: UserLogin): Promise<Caller> {
  const [caller] = await readWithLogin(db, login, () => []);
  return caller;
}
