import type { MiddlewareHandler } from 'hono';
import { type Env, type RateLimitName, settings } from '../env.ts';
import { RegistryError } from '../error.ts';
import { type AppContext, type AppEnv, callerAddress } from './context.ts';

const limiters: Record<RateLimitName, (env: Env) => RateLimit> = {
  caller: (env) => env.CALLER_LIMITER,
  address: (env) => env.ADDRESS_LIMITER,
  'failed-login': (env) => env.FAILED_LOGIN_LIMITER,
};

/**
 * A limit of this height is none, and the limiter is not asked: the local runtime's stand-in writes to a database
 * for every request, which takes longer than the request.
 */
const unlimitedRequests = 1_000_000;

/** Counts a request against a limit. Throws `throttled`, with `Retry-After`, once the limit is exceeded. */
export async function throttle(c: AppContext, name: RateLimitName, key: string): Promise<void> {
  const { requests, windowSeconds } = settings(c.env).rateLimits[name];
  if (requests >= unlimitedRequests) return;
  const { success } = await limiters[name](c.env).limit({ key });
  if (success) return;
  // Left by the failed login that was one too many.
  c.header('WWW-Authenticate', undefined);
  c.header('Retry-After', String(windowSeconds));
  throw new RegistryError('throttled', 'Too many requests, try again later');
}

/** For an interface's every route: counts the address's requests, and those among them that fail to log in. */
export const throttleAddress: MiddlewareHandler<AppEnv> = async (c, next) => {
  const address = callerAddress(c) ?? 'unknown';
  c.header('RateLimit-Policy', settings(c.env).rateLimitPolicy);
  await throttle(c, 'address', address);
  await next();
  if (c.error instanceof RegistryError && c.error.reason === 'unauthorized') {
    await throttle(c, 'failed-login', address);
  }
};
