import { sha256Hex } from '../../../base/bytes/digest.ts';
import { openDatabase } from '../../../base/database/open.ts';
import { LoginError } from '../../../base/error.ts';
import { getSystem, type System } from '../../../party/system/login.ts';
import { settings } from '../../settings.ts';
import {
  type AppContext,
  callerAddress,
  clientCertificate,
  recordPresentedAfterResponse,
} from './context.ts';
import {
  callerNetwork,
  countFailedLogin,
  forgetLogin,
  provenCaller,
  refusedSeconds,
  refuseThrottled,
  rememberLogin,
  throttle,
} from './throttle.ts';

/**
 * Returns the system of the request's key (RFC 6750), with the registrar to act for, and puts it into the context. Requests count by system,
 * failed logins (also those without a key) by address. Throws `unauthorized`, `throttled`.
 */
export async function callingSystem(c: AppContext, registrarCode?: string): Promise<System> {
  // Throws while a setting is missing.
  settings(c.env);
  const [, key] = /^ *Bearer +([\w.~+/-]+=*) *$/i.exec(c.req.header('Authorization') ?? '') ?? [];
  const claim = key && { username: 'system', secretDigest: await sha256Hex(key) };
  try {
    if (!claim) throw new LoginError('no credentials', 'Not authorized');
    const refused = refusedSeconds(callerNetwork(c), claim, c.var.now);
    if (refused > 0) refuseThrottled(c, 'failed-login', refused);
    // A key known to this isolate is counted before the database is asked, any other after.
    const known = provenCaller(claim);
    if (known !== undefined) await throttle(c, 'system', known);
    const system = await getSystem(openDatabase(c.env.DB, c.var.meter), {
      secretDigest: claim.secretDigest,
      address: callerAddress(c),
      certificate: clientCertificate(c),
      at: c.var.now.toISOString(),
      registrarCode,
      onFirstPresented: (id) => recordPresentedAfterResponse(c, id),
    });
    const id = String(system.id);
    rememberLogin(claim, id);
    c.set('system', system);
    if (id !== known) await throttle(c, 'system', id);
    return system;
  } catch (error) {
    if (error instanceof LoginError) {
      if (claim) forgetLogin(claim);
      await countFailedLogin(c);
    }
    throw error;
  }
}
