import { networkOf } from '../../address-list.ts';
import { type Env, findRateLimits } from '../../env.ts';
import { currentTime } from '../../time/clock.ts';

/**
 * The requests of each network in this window, shared by all requests. Asking the platform's limiter would cost more than
 * an answer from memory, so the isolate counts for itself. Beyond its limit, the location's limiter counts.
 */
const counts = new Map<string, { requests: number }>();
let window = 0;

/** At most about 1 MiB. While there are more networks, the limiter counts the others. */
const maximumNetworks = 10_000;

/** Counts a request that may be answered from memory, and returns whether its network is within the limit. */
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
 * The network of an address, without parsing it, which would cost as much as the answer: nearly every IPv6 address
 * begins with its /64.
 */
function quickNetworkOf(address: string): string {
  if (!address.includes(':')) return address;
  return /^(?:[0-9a-f]+:){4}/.exec(address)?.[0] ?? networkOf(address);
}
