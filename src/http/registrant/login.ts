import type { MiddlewareHandler } from 'hono';
import { settings } from '../../env.ts';
import { RegistryError } from '../../error.ts';
import { verifyToken } from '../../registrant/token.ts';
import type { AppEnv } from '../context.ts';
import { throttle } from '../throttle.ts';

/** Verifies the bearer token (RFC 6750) and sets the person that it stands for. */
export const bearerLogin: MiddlewareHandler<AppEnv> = async (c, next) => {
  const [, token] = /^ *Bearer +([\w.~+/-]+=*) *$/i.exec(c.req.header('Authorization') ?? '') ?? [];
  if (token === undefined) throw new RegistryError('unauthorized', 'Not authorized');
  c.set('person', await verifyToken(settings(c.env).registrantTokenKeys, token, c.var.now));
  await throttle(c, 'caller', `${c.var.person.countryCode}:${c.var.person.code}`);
  await next();
};
