import type { MiddlewareHandler } from 'hono';
import { auth } from 'hono/utils/basic-auth';
import { openDatabase } from '../../database/open.ts';
import { LoginError } from '../../error.ts';
import { authenticate, digestSecret, loginOf } from '../../registrar/login.ts';
import { recordFirstUse } from '../../registrar/own-account.ts';
import { type AppEnv, afterResponse, callerAddress } from '../context.ts';
import { refusedSeconds } from '../failed-logins.ts';
import { callerNetwork, refuseThrottled, throttle } from '../throttle.ts';

/** A slow hash counts as this many requests of its own kind: of 1,200 a minute, an address has 60 passwords verified. */
const slowHashRequests = 20;

/**
 * Reads the credentials of HTTP Basic (RFC 7617). The handler's first query checks them in its own round trip. If the
 * request is refused before that query, they are checked here, so that only a user who may log in learns the reason.
 */
export const basicLogin: MiddlewareHandler<AppEnv> = async (c, next) => {
  const credentials = auth(c.req.raw);
  if (!credentials) {
    throw new LoginError('no credentials', 'Invalid authorization information');
  }
  const { username, password } = credentials;
  const login = await loginOf(username, password, callerAddress(c), c.var.now);
  const network = callerNetwork(c);
  login.beforeSlowHash = () => throttle(c, 'address', `password ${network}`, slowHashRequests);
  login.onFirstUse = () => {
    const request = { at: c.var.now, requestId: c.var.requestId };
    afterResponse(c, recordFirstUse(openDatabase(c.env.DB), login, request));
  };
  c.set('login', login);
  const refused = refusedSeconds(network, login, c.var.now);
  if (refused > 0) refuseThrottled(c, 'failed-login', refused);
  // Counted by the name with the secret, so that nobody else can use up the user's share.
  await throttle(c, 'caller', await digestSecret(`${username}:${password}`));
  await next();
  const { status } = c.res;
  const isRefused = status >= 400 && status < 500 && status !== 401 && status !== 429;
  if (isRefused && !c.var.login.caller) {
    // Not in the request's session: its bookmark, which a stranger may have made up, may be why it was refused.
    await authenticate(openDatabase(c.env.DB, c.var.meter), login);
  }
};
