import { openDatabase } from '../../../base/database/open.ts';
import { recordPresented } from '../../../party/credential/login.ts';
import { type AppContext, afterResponse } from './context.ts';

/**
 * The SHA-256 fingerprint of the client's certificate, or null. The platform has verified its chain and that it is not
 * revoked: a revoked certificate is verified, too
 * (https://developers.cloudflare.com/ssl/client-certificates/client-certificate-variables/).
 */
export function clientCertificate(c: AppContext): string | null {
  const { cf } = c.req.raw as { cf?: Partial<IncomingRequestCfProperties> };
  const given = cf?.tlsClientAuth;
  const isGood =
    given?.certPresented === '1' && given.certVerified === 'SUCCESS' && given.certRevoked === '0';
  return (isGood && given.certFingerprintSHA256.toLowerCase()) || null;
}

/** Records after the response that a bound certificate was presented for the first time. */
export function recordPresentedAfterResponse(c: AppContext, id: number): void {
  afterResponse(c, recordPresented(openDatabase(c.env.DB), id, c.var.now));
}
