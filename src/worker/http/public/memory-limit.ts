import { networkOf } from '../../../base/address-list.ts';
import type { Env } from '../../../base/env.ts';
import { currentTime } from '../../../base/time/clock.ts';
import { findRateLimits } from '../../settings.ts';

/**
 * Requests in this window by network, for all requests of the isolate. Asking the platform's limiter would cost more
 * than an answer from memory. Beyond this limit, the location's limiter counts.
 */
const counts = new Map<string, { requests: number }>();
let window = 0;

/** At most about 1 MiB. While there are more networks, the limiter counts the others. */
const maximumNetworks = 10_000;

/** Also counts the request. */
export function isWithinMemoryLimit(request: Request, env: Env): boolean {
  const limit = findRateLimits(env)?.limits.get('address');
  if (!limit) return false;
  const current = Math.floor(currentTime().getTime() / (limit.windowSeconds * 1_000));
  if (current !== window) counts.clear();
  window = current;
  const address = request.headers.get('CF-Connecting-IP') ?? '';
  const network = quickNetworkOf(address);
  const count = counts.get(network);
  if (count) return ++count.requests <= limit.requests;
  if (counts.size === maximumNetworks) return false;
  counts.set(network, { requests: 1 });
  return true;
}

/**
 * Does not parse the address, which would cost as much as the answer: nearly every IPv6 address begins with its /64.
 */
function quickNetworkOf(address: string): string {
  if (!address.includes(':')) return address;
  return /^(?:[0-9a-f]+:){4}/.exec(address)?.[0] ?? networkOf(address);
}
