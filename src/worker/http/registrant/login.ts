import type { MiddlewareHandler } from 'hono';
import { sha256Hex } from '../../../base/bytes/digest.ts';
import { LoginError } from '../../../base/error.ts';
import { identityKey } from '../../../contact/identity-code.ts';
import { type Person, verifyToken } from '../../../party/registrant/token.ts';
import { settings } from '../../settings.ts';
import { continueSession, echoClientReference } from '../request/client-headers.ts';
import {
  type AppContext,
  type AppEnv,
  callerAddress,
  isFromAnotherSite,
} from '../request/context.ts';
import { limitBody } from '../request/input.ts';
import { callerNetwork, throttle, throttleAddress } from '../request/throttle.ts';

/** The portal calls for many people from a few addresses, which browsers may share. */
export function isFromPortal(c: AppContext): boolean {
  const { REGISTRANT_AUTH_ALLOWED_IPS } = settings(c.env);
  return REGISTRANT_AUTH_ALLOWED_IPS.includes(callerAddress(c)) && !isFromAnotherSite(c);
}

/**
 * Counts requests by address; from the portal, by person, and by address only without a person. So neither a busy person nor forged tokens
 * stop another person.
 */
export const throttleRegistrants: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (!isFromPortal(c)) return throttleAddress(c, next);
  await next();
  // A request without a person has read nothing.
  if (c.var.person === undefined) await throttle(c, 'address', callerNetwork(c));
};

/** No limiter learns an identity code. */
export function personKey({ countryCode, code }: Person): Promise<string> {
  return sha256Hex(`${countryCode}:${identityKey(code)}`);
}

/** Verifies the bearer token (RFC 6750) and puts its person into the context. */
const bearerLogin: MiddlewareHandler<AppEnv> = async (c, next) => {
  const [, token] = /^ *Bearer +([\w.~+/-]+=*) *$/i.exec(c.req.header('Authorization') ?? '') ?? [];
  if (token === undefined) throw new LoginError('no credentials', 'Not authorized');
  const keys = settings(c.env).REGISTRANT_TOKEN_KEYS;
  const { person, isExpired } = await verifyToken(keys, token, c.var.now);
  c.set('person', person);
  const key = await personKey(person);
  // An expired token, which others may have, must not use up its person's limit.
  await throttle(c, 'caller', isExpired ? `expired ${key}` : key);
  if (isExpired) throw new LoginError('expired token', 'Not authorized');
  const isRead = ['GET', 'HEAD'].includes(c.req.method);
  // The history keeps every write, so a person could fill the database.
  if (!isRead) await throttle(c, 'registrant-write', key);
  await next();
};

/** Middleware for all calls of a person with a token, in this order. */
export const registrantMiddleware = [
  throttleRegistrants,
  bearerLogin,
  limitBody,
  echoClientReference,
  continueSession,
];
