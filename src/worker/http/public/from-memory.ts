import { networkOf } from '../../../base/address-list.ts';
import { type Env, isLocalEnvironment } from '../../../base/env.ts';
import { readDomainName } from '../../../base/text/domain-name.ts';
import { currentTime } from '../../../base/time/clock.ts';
import { type ListName, listNames, publicLists } from '../../../list/lists.ts';
import { recallName } from '../../../list/read/look-up.ts';
import { recallList } from '../../../list/read/whole-list.ts';
import { findRateLimits } from '../../settings.ts';
import { isKnown } from '../request/public-list.ts';
import { countAnswer } from '../request/request-log.ts';
import { acceptsGzip, listAnswer, plainRequests } from './answer.ts';
import { nameAnswer, namePath } from './names.ts';

/** Other spellings of a URL take the usual route. */
const lists = new Map<string, ListName>(
  listNames.map((list) => {
    const { path, type } = publicLists[list];
    return [type === undefined ? path : `${path}?type=${type}`, list];
  }),
);

const nameUrl = new RegExp(`^${namePath.replace(':name', '([a-z0-9.-]+)')}$`);

const hostStart = 'https://'.length;

/**
 * Answers the most frequent requests from memory: a 304 of a list, a whole list, and one name. The application still serves requests that
 * count as several, and networks beyond their limit.
 */
export function answerFromMemory(request: Request, env: Env): Response | undefined {
  const { method, url } = request;
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  const target = url.slice(url.indexOf('/', hostStart));
  const list = lists.get(target);
  const [, name] = list ? [] : (nameUrl.exec(target) ?? []);
  const isOurs = list !== undefined || name !== undefined;
  if (!isOurs || !isWithinMemoryLimit(request, env)) return undefined;
  const answer = list
    ? listFromMemory(list, request, env)
    : nameFromMemory(name as string, request, env);
  if (!answer) return undefined;

  const { status } = answer;
  const requestId = crypto.randomUUID();
  answer.headers.set('X-Request-Id', requestId);
  const route = list ? publicLists[list].path : namePath;
  countAnswer(env, requestId, { method, route, status });
  return answer;
}

function listFromMemory(list: ListName, request: Request, env: Env): Response | undefined {
  const isHeld = (etag: string) => isKnown(request, etag);
  const found = recallList(list, env.LISTS, currentTime().getTime(), isHeld);
  if (found?.body && !acceptsGzip(request) && plainRequests(found) > 1) return undefined;
  return found && listAnswer(request, env, list, found);
}

function nameFromMemory(text: string, request: Request, env: Env): Response | undefined {
  const { domain } = readDomainName(text);
  const listed = domain && recallName(domain.name, env.LISTS, currentTime().getTime());
  return listed && nameAnswer(request, env, domain, listed);
}

/** The isolate's requests in this window by network. Beyond this limit, the location's limiter counts. */
const counts = new Map<string, { requests: number }>();
let window = 0;

/** At most about 1 MiB. The limiter counts further networks. */
const maximumNetworks = 10_000;

/** Whatever the policy says, the location's limiter counts beyond this limit. */
const maximumRequests = 10_000;

/** Also counts the request. */
function isWithinMemoryLimit(request: Request, env: Env): boolean {
  const limit = findRateLimits(env)?.limits.get('address');
  if (!limit) return false;
  const current = Math.floor(currentTime().getTime() / (limit.windowSeconds * 1_000));
  if (current !== window) counts.clear();
  window = current;
  const address = request.headers.get('CF-Connecting-IP') ?? '';
  const network = quickNetworkOf(address);
  const count = counts.get(network);
  const allowed = isLocalEnvironment(env)
    ? limit.requests
    : Math.min(limit.requests, maximumRequests);
  if (count) return ++count.requests <= allowed;
  if (counts.size === maximumNetworks) return false;
  counts.set(network, { requests: 1 });
  return true;
}

/**
 * Does not parse the address, which would cost as much as the response: nearly every IPv6 address begins with its /64.
 */
function quickNetworkOf(address: string): string {
  if (!address.includes(':')) return address;
  return /^(?:[0-9a-f]+:){4}/.exec(address)?.[0] ?? networkOf(address);
}
