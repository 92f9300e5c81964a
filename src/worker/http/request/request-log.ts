import { matchedRoutes } from 'hono/route';
import { METHOD_NAME_ALL } from 'hono/router';
import { newMeter } from '../../../base/database/meter.ts';
import { openDatabase } from '../../../base/database/open.ts';
import { type Env, isLocalEnvironment } from '../../../base/env.ts';
import { LoginError, type LoginRefusal } from '../../../base/error.ts';
import { writeLog } from '../../../base/log.ts';
import { type RequestMetrics, requestPoint, writePoint } from '../../../base/metrics.ts';
import { isRecent } from '../../../base/time/clock.ts';
import { findRefusals, isApiUser } from '../../../party/registrar/login.ts';
import { type AppContext, afterResponse, isFromAnotherSite } from './context.ts';

/**
 * Logs a request in one line and one data point, without body, credential, identity code or name. The line of a refused login has the reason.
 */
export function logRequest(
  c: AppContext,
  interfaceName: string,
  startedAtMilliseconds: number,
): void {
  const { requestId, login, system, meter } = c.var;
  const request: RequestMetrics = {
    interface: interfaceName,
    method: c.req.method,
    route: routeOf(c),
    status: c.res.status,
    registrar: login?.caller?.registrarCode ?? null,
    system: system?.name ?? null,
    build: c.env.VERSION.id,
    durationMilliseconds: Date.now() - startedAtMilliseconds,
    ...meter,
  };
  writePoint(c.env, requestPoint(request));
  const fields = { ...requestFields(request), request_id: requestId };
  const logRefused = async () => writeLog('info', { ...fields, refusal: await loginRefusalOf(c) });
  if (request.status === 401) afterResponse(c, logRefused());
  else writeLog('info', fields);
}

/** Null if the database fails or has no reason. Runs after the response. */
async function loginRefusalOf(c: AppContext): Promise<LoginRefusal | null> {
  if (c.error instanceof LoginError) return c.error.refusal;
  const { login } = c.var;
  // Without an API user, only the request's origin can be the reason.
  if (!login || !isApiUser(login)) return isFromAnotherSite(c) ? 'another site' : 'address';
  const refusals = await findRefusals(openDatabase(c.env.DB), login).catch(() => []);
  return refusals[0] ?? null;
}

/** The pattern of the handler or, without one, of the last middleware. */
function routeOf(c: AppContext): string {
  const routes = matchedRoutes(c);
  const handler = routes.find(({ method }) => method !== METHOD_NAME_ALL);
  return (handler ?? routes.at(-1))?.path ?? '';
}

/** The line has the route's pattern, because the path may contain a code or a name. */
function requestFields(request: RequestMetrics) {
  const { method, route, status, registrar, system, d1, kvReads: kv } = request;
  const duration_ms = request.durationMilliseconds;
  return { event: 'request', method, route, status, registrar, system, d1, kv, duration_ms };
}

type Answered = Pick<RequestMetrics, 'method' | 'route' | 'status'>;

/** Counts of responses from memory since `countsWrittenAt`, for all requests. */
const counts = new Map<string, Answered & { count: number }>();
let countsWrittenAt = 0;
const countsWrittenEverySeconds = 10;

/**
 * Counts a response from memory. After ten seconds, the next one logs the counts. An isolate that ends before loses them. Locally, each
 * response has its own line.
 */
export function countAnswer(env: Env, requestId: string, answered: Answered): void {
  if (isLocalEnvironment(env)) {
    writeAnswers(env, answered, 1, { request_id: requestId });
    return;
  }
  const key = answered.method + answered.status + answered.route;
  const counted = counts.get(key);
  if (counted) counted.count += 1;
  else counts.set(key, { ...answered, count: 1 });
  const now = Date.now();
  if (isRecent(countsWrittenAt, now, countsWrittenEverySeconds * 1_000)) return;
  countsWrittenAt = now;
  for (const { count, ...each } of counts.values()) writeAnswers(env, each, count, { count });
  counts.clear();
}

function writeAnswers(env: Env, answered: Answered, count: number, fields: object): void {
  const request = {
    interface: 'lists',
    ...answered,
    registrar: null,
    system: null,
    build: env.VERSION.id,
    durationMilliseconds: 0,
    ...newMeter(),
  };
  writePoint(env, requestPoint(request, count));
  writeLog('info', { ...requestFields(request), ...fields });
}
