import type { Login } from '../registrar/login.ts';

/**
 * Spares the database the logins of an address that has failed too often. A rate limiter cannot be asked without
 * counting, and counts a login when it has failed, which takes a query to know. So the isolate remembers the answer:
 * once the limiter has refused an address, its logins are refused unseen until the window has passed. Another isolate
 * learns it from one failed login of its own, as the limiter counts for the whole location.
 *
 * The right secret is refused as well, or guessing would go on at the price of a query. Logins that this isolate has
 * seen succeed are let through to the query, so that nobody who shares an address with a guesser is shut out of work.
 *
 * Shared between requests on purpose: it holds addresses, user names and digests, nothing that a request answers with.
 */
const refusedUntil = new Map<string, number>();
const provenLogins = new Map<string, true>();

/** Of each; the oldest goes first. About 1 MiB of each at most. */
const maximumRemembered = 5_000;

/** Remembers that the limiter has refused the address. */
export function refuseLogins(address: string, now: Date, windowSeconds: number): void {
  remember(refusedUntil, address, now.getTime() + windowSeconds * 1000);
}

/** For how many more seconds the login is refused unseen; zero where the database is to judge it. */
export function refusedSeconds(address: string, login: Login, now: Date): number {
  const milliseconds = (refusedUntil.get(address) ?? 0) - now.getTime();
  if (milliseconds > 0 && !provenLogins.has(keyOf(login))) return Math.ceil(milliseconds / 1000);
  return 0;
}

/** Remembers that the database has let the login in. */
export function rememberLogin(login: Login): void {
  remember(provenLogins, keyOf(login), true);
}

/** For a login that the database has refused. */
export function forgetLogin(login: Login): void {
  provenLogins.delete(keyOf(login));
}

function keyOf({ username, secretDigest }: Login): string {
  return `${secretDigest}:${username}`;
}

function remember<Value>(memory: Map<string, Value>, key: string, value: Value): void {
  memory.delete(key);
  memory.set(key, value);
  const [oldest] = memory.keys();
  if (memory.size > maximumRemembered && oldest !== undefined) memory.delete(oldest);
}
