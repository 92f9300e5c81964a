import type { MiddlewareHandler } from 'hono';
import type { systemRights } from '../../../../drizzle/schema.ts';
import { RegistryError } from '../../../base/error.ts';
import type { Operation } from '../../../change/origin.ts';
import { systemActor } from '../../../party/system/login.ts';
import { type AppContext, type AppEnv, database } from '../request/context.ts';
import { callingSystem } from '../request/system-login.ts';

/** Puts the calling system into the context. Checking its key takes a round trip of its own. */
export const systemLogin: MiddlewareHandler<AppEnv> = async (c, next) => {
  await callingSystem(c);
  await next();
};

/** Middleware for calls that need this right. Throws `forbidden`. */
export function may(right: (typeof systemRights)[number]): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const { name, rights } = c.var.system;
    if (!rights.includes(right)) {
      throw new RegistryError('forbidden', `System ${name} may not do this: it lacks ${right}`);
    }
    await next();
  };
}

/** A write of the system. Its calls may be repeated without an idempotency key. */
export function operationOf(c: AppContext): Operation {
  const request = { at: c.var.now, requestId: c.var.requestId };
  return { db: database(c), origin: { actor: systemActor(c.var.system), request } };
}
