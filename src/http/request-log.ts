import { matchedRoutes } from 'hono/route';
import { METHOD_NAME_ALL } from 'hono/router';
import { newMeter } from '../database/meter.ts';
import { openDatabase } from '../database/open.ts';
import type { Env } from '../env.ts';
import { LoginError, type LoginRefusal } from '../error.ts';
import { writeLog } from '../log.ts';
import { type RequestMetrics, requestPoint, writePoint } from '../metrics.ts';
import { findRefusals, isUser } from '../registrar/login.ts';
import { type AppContext, afterResponse, isFromAnotherSite } from './context.ts';
import { interfaceOf } from './interface.ts';

/**
 * Logs a request in one line and one data point, without body, credential, identity code or name. The line of a refused
 * login says why it was refused.
 */
export function logRequest(c: AppContext, startedAtMilliseconds: number): void {
  const { requestId, login, system, meter } = c.var;
  const request: RequestMetrics = {
    interface: interfaceOf(c.req.path),
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
  const fields = requestFields(requestId, request);
  const logRefused = async () => writeLog('info', { ...fields, refusal: await loginRefusalOf(c) });
  if (request.status === 401) afterResponse(c, logRefused());
  else writeLog('info', fields);
}

/** Null if the database does not say. The answer must not wait for this. */
async function loginRefusalOf(c: AppContext): Promise<LoginRefusal | null> {
  if (c.error instanceof LoginError) return c.error.refusal;
  const { login } = c.var;
  // Other interfaces refuse without a LoginError only for where the request comes from.
  if (!login || !isUser(login)) return isFromAnotherSite(c) ? 'another site' : 'address';
  const refusals = await findRefusals(openDatabase(c.env.DB), login).catch(() => []);
  return refusals[0] ?? null;
}

/** The pattern of the handler, or of the last middleware where no handler matches. */
function routeOf(c: AppContext): string {
  const routes = matchedRoutes(c);
  const handler = routes.find(({ method }) => method !== METHOD_NAME_ALL);
  return (handler ?? routes.at(-1))?.path ?? '';
}

/** The line has the route's pattern, because the path may contain a code or a name. */
function requestFields(requestId: string, request: RequestMetrics) {
  return {
    event: 'request',
    request_id: requestId,
    method: request.method,
    route: request.route,
    status: request.status,
    registrar: request.registrar,
    system: request.system,
    d1: request.d1,
    kv: request.kvReads,
    duration_ms: request.durationMilliseconds,
  };
}

const waiting: string[] = [];
const maximumWaiting = 100;
const maximumWaitMilliseconds = 1_000;

/**
 * Logs a request that was answered from memory. Such a request costs less than a call of the console, so the lines of
 * many are written in one call, within a second; an isolate that ends before loses them. Log collectors split the entry
 * at its line breaks.
 */
export function logTogether(
  env: Env,
  context: Pick<ExecutionContext, 'waitUntil'>,
  requestId: string,
  answered: Pick<RequestMetrics, 'method' | 'route' | 'status'>,
): void {
  const request = {
    interface: 'lists',
    ...answered,
    registrar: null,
    system: null,
    build: env.VERSION.id,
    durationMilliseconds: 0,
    ...newMeter(),
  };
  waiting.push(JSON.stringify({ level: 'info', ...requestFields(requestId, request) }));
  writePoint(env, requestPoint(request));
  if (waiting.length === 1) {
    const wait = new Promise((resolve) => setTimeout(resolve, maximumWaitMilliseconds));
    context.waitUntil(wait.then(writeWaiting));
  }
  if (waiting.length === maximumWaiting) writeWaiting();
}

function writeWaiting(): void {
  if (waiting.length === 0) return;
  // biome-ignore lint/suspicious/noConsole: many lines in one call
  console.info(waiting.splice(0).join('\n'));
}
