import type { MiddlewareHandler } from 'hono';
import { networkOf, workersAddress } from '../../../base/address-list.ts';
import { isLocalEnvironment } from '../../../base/env.ts';
import { RegistryError } from '../../../base/error.ts';
import { isRecent } from '../../../base/time/clock.ts';
import { isApiUser, type Login } from '../../../party/registrar/login.ts';
import { type Credentials, loginKey } from '../../../party/registrar/password.ts';
import { findRateLimits, limiters, type RateLimitName, settings } from '../../settings.ts';
import { type AppContext, type AppEnv, callerAddress } from './context.ts';

/**
 * In the local environment, this limit means unlimited. The limiter is not asked, because the local runtime's writes to a database for every
 * request.
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
  const { requests: allowed = 0 } = limitOf(c, name);
  if (isLocalEnvironment(c.env) && allowed >= unlimitedRequests) return true;
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
  // Set by the 401 that this 429 replaces.
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
 * The key of a limit: the caller's address, or the /64 of an IPv6 address. Workers of other zones share `workersAddress`, so their zone in
 * `CF-Worker` distinguishes them.
 */
export function callerNetwork(c: AppContext): string {
  const address = callerAddress(c) ?? 'unknown';
  const zone = address === workersAddress && c.req.header('CF-Worker');
  return zone ? `worker ${zone}` : networkOf(address);
}

/**
 * Counts requests without a login by address, separately from the interfaces with callers, so that look-ups cannot stop a registrar in the same
 * network.
 */
export function throttlePublic(c: AppContext, requests = 1): Promise<void> {
  return throttle(c, 'address', `public ${callerNetwork(c)}`, requests);
}

/** Middleware that counts an address's requests and, separately, its failed logins. */
export const throttleAddress: MiddlewareHandler<AppEnv> = async (c, next) => {
  const address = callerNetwork(c);
  // Throws while a setting is missing.
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

/** Throws `throttled` after too many failures of the address. From then on, its logins are refused without a query. */
export async function countFailedLogin(c: AppContext): Promise<void> {
  const address = callerNetwork(c);
  if (await isWithinLimit(c, 'failed-login', address)) return;
  refuseLogins(address, c.var.now, limitOf(c, 'failed-login').windowSeconds);
  refuseThrottled(c, 'failed-login');
}

/**
 * Only a failed login may count, and only a query shows the failure. So once the limiter has refused an address, this isolate refuses its
 * logins without a query until the window has passed, even with the right secret. Logins that the isolate has seen succeed still pass, so that
 * a guesser cannot lock out others at the same address. Requests share this state; no response contains it.
 */
const refusals = new Map<string, { at: number; milliseconds: number }>();
const provenLogins = new Map<string, string>();

/** Each map drops its oldest entry first, and takes at most about 1 MiB. */
const maximumRemembered = 5_000;

export function refuseLogins(address: string, now: Date, windowSeconds: number): void {
  remember(refusals, address, { at: now.getTime(), milliseconds: windowSeconds * 1000 });
}

/** Seconds for which the login is refused without a query. 0 lets the database judge it. */
export function refusedSeconds(address: string, login: Credentials, now: Date): number {
  const { at, milliseconds } = refusals.get(address) ?? { at: 0, milliseconds: 0 };
  if (!isRecent(at, now.getTime(), milliseconds) || provenLogins.has(loginKey(login))) return 0;
  return Math.ceil((at + milliseconds - now.getTime()) / 1000);
}

export function rememberLogin(login: Credentials, caller = login.username): void {
  remember(provenLogins, loginKey(login), caller);
}

export function provenCaller(login: Credentials): string | undefined {
  return provenLogins.get(loginKey(login));
}

export function forgetLogin(login: Credentials): void {
  provenLogins.delete(loginKey(login));
}

function remember<Value>(memory: Map<string, Value>, key: string, value: Value): void {
  memory.delete(key);
  memory.set(key, value);
  const [oldest] = memory.keys();
  if (memory.size > maximumRemembered && oldest !== undefined) memory.delete(oldest);
}
