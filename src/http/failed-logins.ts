import type { Login } from '../registrar/login.ts';

/**
 * Spares the database the logins of an address that has failed too often. A rate limiter counts whenever it is asked,
 * and only a failed login may count, which takes a query to know. So the isolate remembers the answer: once the limiter
 * has refused an address, its logins are refused unseen until the window has passed. Another isolate learns this from
 * one failed login of its own, because the limiter counts for the whole location.
 *
 * The right secret is refused too; otherwise a guesser could go on at the price of a query. Logins that this isolate
 * has seen succeed go through to the query, so that a guesser does not lock out users at the same address.
 *
 * Shared between requests on purpose: it contains addresses, user names and digests, and no answer contains any of
 * these.
 */
const refusedUntil = new Map<string, number>();
const provenLogins = new Map<string, true>();

/** Entries in each map, of which the oldest is dropped first. At most about 1 MiB each. */
const maximumRemembered = 5_000;

/** Remembers that the limiter has refused the address. */
export function refuseLogins(address: string, now: Date, windowSeconds: number): void {
  remember(refusedUntil, address, now.getTime() + windowSeconds * 1000);
}

/** For how many more seconds the login is refused unseen; zero if the database is to judge it. */
export function refusedSeconds(address: string, login: Login, now: Date): number {
  const milliseconds = (refusedUntil.get(address) ?? 0) - now.getTime();
  if (milliseconds > 0 && !provenLogins.has(keyOf(login))) return Math.ceil(milliseconds / 1000);
  return 0;
}

/** Remembers that the database has accepted the login. */
export function rememberLogin(login: Login): void {
  remember(provenLogins, keyOf(login), true);
}

/** Forgets a login that the database has refused. */
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
