import { type Claim, loginKey } from '../../../party/registrar/password.ts';

/**
 * Spares the database the logins of an address that has failed too often. Only a failed login may count, and a query is
 * needed to know that it failed. So once the limiter has refused an address, this isolate refuses its logins without a
 * query until the window has passed, even with the right secret. Logins that it has seen succeed still go through, so
 * that a guesser does not lock out others at the same address. Requests share this state; no answer contains any of it.
 */
const refusedUntil = new Map<string, number>();
/** By login, whoever it is of. */
const provenLogins = new Map<string, string>();

/** Each map drops its oldest entry first and takes about 1 MiB at most. */
const maximumRemembered = 5_000;

export function refuseLogins(address: string, now: Date, windowSeconds: number): void {
  remember(refusedUntil, address, now.getTime() + windowSeconds * 1000);
}

/** Seconds for which the login is refused without a query; 0 if the database judges it. */
export function refusedSeconds(address: string, login: Claim, now: Date): number {
  const milliseconds = (refusedUntil.get(address) ?? 0) - now.getTime();
  if (milliseconds > 0 && !provenLogins.has(loginKey(login))) return Math.ceil(milliseconds / 1000);
  return 0;
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
