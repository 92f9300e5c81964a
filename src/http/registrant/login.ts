import type { MiddlewareHandler } from 'hono';
import { identityKey } from '../../contact/identity-code.ts';
import { settings } from '../../env.ts';
import { RegistryError } from '../../error.ts';
import { verifyToken } from '../../registrant/token.ts';
import type { AppEnv } from '../context.ts';
import { throttle } from '../throttle.ts';

/** Verifies the bearer token (RFC 6750) and puts its person into the context. */
export const bearerLogin: MiddlewareHandler<AppEnv> = async (c, next) => {
  const [, token] = /^ *Bearer +([\w.~+/-]+=*) *$/i.exec(c.req.header('Authorization') ?? '') ?? [];
  if (token === undefined) throw new RegistryError('unauthorized', 'Not authorized');
  c.set('person', await verifyToken(settings(c.env).registrantTokenKeys, token, c.var.now));
  const { countryCode, code } = c.var.person;
  const key = `${countryCode}:${identityKey(code)}`;
  await throttle(c, 'caller', key);
  const isRead = ['GET', 'HEAD'].includes(c.req.method);
  // History keeps every write, and a person must not be able to fill the database.
  if (!isRead) await throttle(c, 'registrant-write', key);
  await next();
};
