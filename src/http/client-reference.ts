import type { MiddlewareHandler } from 'hono';
import { type AppEnv, clientReferenceHeaders } from './context.ts';
import { refuse } from './input.ts';

/** Printable ASCII, 1 to 64 characters: what EPP's clTRID (RFC 5730) holds, and what a header can give back. */
const pattern = /^[\x21-\x7e](?:[\x20-\x7e]{0,62}[\x21-\x7e])?$/;

/** Gives the client's reference back under the name that it came with; refuses one that is no reference. */
export const echoClientReference: MiddlewareHandler<AppEnv> = async (c, next) => {
  const name = clientReferenceHeaders.find((header) => c.req.header(header) !== undefined);
  if (name) {
    const reference = c.req.header(name) ?? '';
    if (!pattern.test(reference)) {
      const message = 'Client transaction id is invalid';
      await refuse(c, [{ reason: 'invalid', message, field: name }]);
    }
    c.header(name, reference);
  }
  await next();
};
