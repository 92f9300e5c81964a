import type { MiddlewareHandler } from 'hono';
import { networkOf, workersAddress } from '../../../base/address-list.ts';
import { RegistryError } from '../../../base/error.ts';
import { isRecent } from '../../../base/time/clock.ts';
import { isApiUser, type Login } from '../../../party/registrar/login.ts';
import { type Claim, loginKey } from '../../../party/registrar/password.ts';
import { findRateLimits, limiters, type RateLimitName, settings } from '../../settings.ts';
import { type AppContext, type AppEnv, callerAddress } from './context.ts';

/**
 * A limit this high means unlimited, and the limiter is not asked: the local runtime's limiter writes to a database for
 * every request.
 */
const unlimitedRequests = 1_000_000;

/**
 * Throws `throttled` once the limit has been reached. Until then, one call may exceed it by counting several requests.
 */
export async function throttle(
  c: AppContext,
  name: RateLimitName,
  key: string,
  requests = 1,
): Promise<void> {
  if (!(await isWithinLimit(c, name, key, requests))) refuseThrottled(c, name);
}

async function isWithinLimit(
  c: AppContext,
  name: RateLimitName,
  key: string,
  requests = 1,
): Promise<boolean> {
  if ((limitOf(c, name).requests ?? 0) >= unlimitedRequests) return true;
  const [binding] = limiters[name];
  const { success } = await c.env[binding].limit({ key, delta: requests });
  return success;
}

function limitOf(c: AppContext, name: RateLimitName) {
  return findRateLimits(c.env)?.limits.get(name) ?? { requests: undefined, windowSeconds: 60 };
}

/** Throws `throttled` with `Retry-After` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers). */
export function refuseThrottled(
  c: AppContext,
  name: RateLimitName,
  seconds = limitOf(c, name).windowSeconds,
): never {
  // A 401 that this 429 replaces has set it.
  c.header('WWW-Authenticate', undefined);
  c.header('Retry-After', String(seconds));
  c.header('RateLimit', `"${name}";r=0;t=${seconds}`);
  const { requests, windowSeconds } = limitOf(c, name);
  const [, counted] = limiters[name];
  const allowed = requests && `: ${requests} ${counted} in ${windowSeconds} seconds`;
  const detail = `The limit "${name}" has been reached${allowed ?? ''}.`;
  const message = 'Too many requests, try again later';
  throw new RegistryError([{ reason: 'throttled', message, detail }]);
}

/**
 * Whom a limit counts: the caller's address, or the /64 of an IPv6 address. Workers of other zones all call from
 * `workersAddress`, and Cloudflare names the zone of each in `CF-Worker`, so that one uses up nobody else's share.
 */
export function callerNetwork(c: AppContext): string {
  const address = callerAddress(c) ?? 'unknown';
  const zone = address === workersAddress && c.req.header('CF-Worker');
  return zone ? `worker ${zone}` : networkOf(address);
}

/**
 * Counts requests without a login by address, apart from those of the interfaces with callers, so that nobody's
 * look-ups stop a registrar in the same network.
 */
export function throttlePublic(c: AppContext, requests = 1): Promise<void> {
  return throttle(c, 'address', `public ${callerNetwork(c)}`, requests);
}

/** Middleware that counts an address's requests and, separately, its failed logins. */
export const throttleAddress: MiddlewareHandler<AppEnv> = async (c, next) => {
  const address = callerNetwork(c);
  // Nothing that has callers answers while a setting is missing.
  settings(c.env);
  await throttle(c, 'address', address);
  await next();
  const login: Login | undefined = c.var.login;
  const claim = login && isApiUser(login) ? login : undefined;
  if (claim?.caller) rememberLogin(claim);
  if (!(c.error instanceof RegistryError && c.error.reason === 'unauthorized')) return;
  if (claim) forgetLogin(claim);
  await countFailedLogin(c);
};

/** Throws `throttled` once the address has failed too often: from then on, its logins are refused without a query. */
export async function countFailedLogin(c: AppContext): Promise<void> {
  const address = callerNetwork(c);
  if (await isWithinLimit(c, 'failed-login', address)) return;
  refuseLogins(address, c.var.now, limitOf(c, 'failed-login').windowSeconds);
  refuseThrottled(c, 'failed-login');
}

/**
 * Only a failed login may count, and a query is needed to know that it failed. So once the limiter has refused an
 * address, this isolate refuses its logins without a query until the window has passed, even with the right secret.
 * Logins that it has seen succeed still go through, so that a guesser does not lock out others at the same address.
 * Requests share this state; no answer contains any of it.
 */
const refusals = new Map<string, { at: number; milliseconds: number }>();
/** By login, whoever it is of. */
const provenLogins = new Map<string, string>();

/** Each map drops its oldest entry first and takes about 1 MiB at most. */
const maximumRemembered = 5_000;

export function refuseLogins(address: string, now: Date, windowSeconds: number): void {
  remember(refusals, address, { at: now.getTime(), milliseconds: windowSeconds * 1000 });
}

/** Seconds for which the login is refused without a query; 0 if the database judges it. */
export function refusedSeconds(address: string, login: Claim, now: Date): number {
  const { at, milliseconds } = refusals.get(address) ?? { at: 0, milliseconds: 0 };
  if (!isRecent(at, now.getTime(), milliseconds) || provenLogins.has(loginKey(login))) return 0;
  return Math.ceil((at + milliseconds - now.getTime()) / 1000);
}

export function rememberLogin(login: Claim, caller = login.username): void {
  remember(provenLogins, loginKey(login), caller);
}

/** Whoever the login was of when it last succeeded. */
export function provenCaller(login: Claim): string | undefined {
  return provenLogins.get(loginKey(login));
}

export function forgetLogin(login: Claim): void {
  provenLogins.delete(loginKey(login));
}

function remember<Value>(memory: Map<string, Value>, key: string, value: Value): void {
  memory.delete(key);
  memory.set(key, value);
  const [oldest] = memory.keys();
  if (memory.size > maximumRemembered && oldest !== undefined) memory.delete(oldest);
}
