import type { Env } from '../../../base/env.ts';
import { currentTime } from '../../../base/time/clock.ts';
import { type ListName, listNames, publicLists } from '../../../list/lists.ts';
import { recallName } from '../../../list/read/look-up.ts';
import { recallList } from '../../../list/read/whole-list.ts';
import { readDomainName } from '../../../name/domain/name.ts';
import { findRateLimits } from '../../settings.ts';
import { isKnown } from '../request/public-list.ts';
import { countAnswer } from '../request/request-log.ts';
import { listAnswer, plainRequests } from './answer.ts';
import { acceptsGzip } from './encoding.ts';
import { isWithinMemoryLimit } from './memory-limit.ts';
import { nameAnswer, namePath } from './names.ts';

/** Any other spelling of a URL takes the usual route. */
const lists = new Map<string, ListName>(
  listNames.map((list) => {
    const { path, type } = publicLists[list];
    return [type === undefined ? path : `${path}?type=${type}`, list];
  }),
);

const nameUrl = new RegExp(`^${namePath.replace(':name', '([a-z0-9.-]+)')}$`);

const hostStart = 'https://'.length;

/**
 * Answers the most frequent requests, if this isolate remembers all that it takes: whether a list has changed, a whole
 * list, and one name. The answer is the application's own, whose routing would cost more than the answer. The
 * application answers what counts as more than one request, and networks beyond their limit.
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
  const policy = status === 200 ? findRateLimits(env) : undefined;
  if (policy) answer.headers.set('RateLimit-Policy', policy.header);
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
