import type { MiddlewareHandler } from 'hono';
import { RegistryError } from '../../../base/error.ts';
import type { AppContext, AppEnv } from './context.ts';

/** The first of these headers that is present counts. */
const clientReferenceHeaders = ['X-Client-Transaction-Id', 'RPP-Cltrid'];

/** 1 to 64 printable ASCII characters: what EPP's clTRID (RFC 5730) allows and a header can repeat. */
export const clientReferencePattern = /^[\x21-\x7e](?:[\x20-\x7e]{0,62}[\x21-\x7e])?$/;

export function clientReference(c: AppContext): { name: string; value: string } | undefined {
  return clientReferenceHeaders
    .map((name) => ({ name, value: c.req.header(name) }))
    .find((header): header is { name: string; value: string } => header.value !== undefined);
}

/** Repeats the client's reference in the header that it came in. Throws `invalid` if it is malformed. */
export const echoClientReference: MiddlewareHandler<AppEnv> = async (c, next) => {
  const reference = clientReference(c);
  if (reference) {
    const { name, value } = reference;
    if (!clientReferencePattern.test(value)) {
      throw new RegistryError('invalid', 'Client transaction id is invalid', name);
    }
    c.header(name, value);
  }
  await next();
};
