import type { MiddlewareHandler } from 'hono';
import { auth } from 'hono/utils/basic-auth';
import { sha256Hex } from '../../../base/bytes/digest.ts';
import { fromUrlAlphabet } from '../../../base/bytes/encoding.ts';
import { openDatabase } from '../../../base/database/open.ts';
import { LoginError } from '../../../base/error.ts';
import { asciiUpperCase } from '../../../base/text/ascii-case.ts';
import {
  authenticate,
  isApiUser,
  loginOf,
  type UserLogin,
} from '../../../party/registrar/login.ts';
import { recordFirstUse } from '../../../party/registrar/own-account.ts';
import { loginKey } from '../../../party/registrar/password.ts';
import { actingLogin } from '../../../party/system/login.ts';
import { continueSession, echoClientReference } from '../request/client-headers.ts';
import {
  type AppContext,
  type AppEnv,
  afterResponse,
  callerAddress,
  clientCertificate,
  recordPresentedAfterResponse,
} from '../request/context.ts';
import { limitBody } from '../request/input.ts';
import { callingSystem } from '../request/system-login.ts';
import {
  callerNetwork,
  refusedSeconds,
  refuseThrottled,
  throttle,
  throttleAddress,
} from '../request/throttle.ts';

/** hono decodes only the first alphabet of base64 (RFC 4648, section 4). Portals send the second as well (section 5). */
function credentialsOf(authorization = '') {
  const headers = { Authorization: fromUrlAlphabet(authorization) };
  return auth(new Request('https://any.invalid', { headers }));
}

/**
 * Reads the credentials of HTTP Basic (RFC 7617). The handler's first query checks them. If the request is refused before, they are checked
 * here, so that only a valid user learns the reason.
 */
const basicLogin: MiddlewareHandler<AppEnv> = async (c, next) => {
  const credentials = credentialsOf(c.req.header('Authorization'));
  if (!credentials) {
    throw new LoginError('no credentials', 'Invalid authorization information');
  }
  const { username, password } = credentials;
  const from = { address: callerAddress(c), certificate: clientCertificate(c) };
  const login = await loginOf(username, password, c.var.now, from);
  const network = callerNetwork(c);
  login.beforeSlowHash = () => throttle(c, 'password', network);
  login.onFirstUse = () => {
    const request = { at: c.var.now, requestId: c.var.requestId };
    afterResponse(c, recordFirstUse(openDatabase(c.env.DB), login, request));
  };
  login.onFirstPresented = (id) => recordPresentedAfterResponse(c, id);
  c.set('login', login);
  const refused = refusedSeconds(network, login, c.var.now);
  if (refused > 0) refuseThrottled(c, 'failed-login', refused);
  await throttle(c, 'caller', await callerKey(login));
  await next();
  const { status } = c.res;
  const isRefused = status >= 400 && status < 500 && status !== 401 && status !== 429;
  if (isRefused && !c.var.login.caller) {
    // The request's own session may have been refused for a stranger's bookmark.
    await authenticate(openDatabase(c.env.DB, c.var.meter), login);
  }
};

/** Includes the secret, so that others cannot use up the user's limit. */
const callerKey = (login: UserLogin) => sha256Hex(loginKey(login));

/** Counts more requests of the caller, for a call that does the work of several. Throws `throttled`. */
export async function throttleCaller(c: AppContext, requests: number): Promise<void> {
  const { login, system } = c.var;
  if (isApiUser(login)) await throttle(c, 'caller', await callerKey(login), requests);
  else await throttle(c, 'system', String(system.id), requests);
}

const withoutRegistrar =
  'The key is right, but the header Acting-For is missing; it names the registrar that the system acts for.';

/**
 * Accepts a system that acts for a registrar, like a user of that registrar except for its addresses and certificates. Requests count for the
 * system. Throws what `callingSystem` and `actingLogin` throw, and `unauthorized` to a system that names no registrar.
 */
const systemLogin: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (/^ *Bearer /i.test(c.req.header('Authorization') ?? '')) {
    const code = asciiUpperCase(c.req.header('Acting-For') ?? '');
    const system = await callingSystem(c, code);
    if (code === '') throw new LoginError('no registrar', 'Not authorized', withoutRegistrar);
    c.set('login', actingLogin(system, code, c.var.now.toISOString()));
  }
  await next();
};

const unlessActing =
  (middleware: MiddlewareHandler<AppEnv>): MiddlewareHandler<AppEnv> =>
  (c, next) =>
    c.var.login ? next() : middleware(c, next);

/** `throttleAddress` counts failed logins by `c.error`, which Hono sets between two middlewares alone. */
export const registrarMiddleware = [
  systemLogin,
  unlessActing(throttleAddress),
  unlessActing(basicLogin),
  limitBody,
  echoClientReference,
  continueSession,
];
