import type { MiddlewareHandler } from 'hono';
import { RegistryError } from '../error.ts';
import type { AppContext, AppEnv } from './context.ts';

/** The names under which clients send their own reference of a transaction; the first that is there counts. */
const names = ['X-Client-Transaction-Id', 'RPP-Cltrid'];

/** Printable ASCII, 1 to 64 characters: what EPP's clTRID (RFC 5730) holds, and what a header can give back. */
const pattern = /^[\x21-\x7e](?:[\x20-\x7e]{0,62}[\x21-\x7e])?$/;

/** The client's reference and the name that it came under, if there is one. */
export function clientReference(c: AppContext): { name: string; value: string } | undefined {
  return names
    .map((name) => ({ name, value: c.req.header(name) }))
    .find((header): header is { name: string; value: string } => header.value !== undefined);
}

/** Gives the client's reference back under the name that it came with; refuses one that is malformed. */
export const echoClientReference: MiddlewareHandler<AppEnv> = async (c, next) => {
  const reference = clientReference(c);
  if (reference) {
    const { name, value } = reference;
    if (!pattern.test(value)) {
      throw new RegistryError('invalid', 'Client transaction id is invalid', name);
    }
    c.header(name, value);
  }
  await next();
};
