import type { MiddlewareHandler } from 'hono';
import { auth } from 'hono/utils/basic-auth';
import { RegistryError } from '../../error.ts';
import { authenticate, digestSecret } from '../../registrar/login.ts';
import { type AppEnv, callerAddress, database } from '../context.ts';
import { throttle } from '../throttle.ts';

/**
 * Takes the credentials of HTTP Basic (RFC 7617). The handler's first query checks them in its own round trip; where a
 * request is refused before that query, they are checked here, so that only a user who may log in learns the reason.
 */
export const basicLogin: MiddlewareHandler<AppEnv> = async (c, next) => {
  const credentials = auth(c.req.raw);
  if (!credentials) throw new RegistryError('unauthorized', 'Invalid authorization information');
  const { username, password } = credentials;
  const secretDigest = await digestSecret(password);
  c.set('login', { username, secretDigest, address: callerAddress(c) });
  // By the secret, not by the name: nobody but the user can use up the user's share.
  await throttle(c, 'caller', secretDigest);
  await next();
  const isRefused = c.res.status >= 400 && c.res.status < 500;
  if (isRefused && !c.var.login.caller && !isLoginRefused(c.error)) {
    await authenticate(database(c), c.var.login);
  }
};

function isLoginRefused(error: Error | undefined): boolean {
  return (
    error instanceof RegistryError && ['unauthorized', 'address_denied'].includes(error.reason)
  );
}
