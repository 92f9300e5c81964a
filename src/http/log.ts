import { matchedRoutes } from 'hono/route';
import { METHOD_NAME_ALL } from 'hono/router';
import type { Env } from '../env.ts';
import { writeLog } from '../log.ts';
import { requestPoint, writePoint } from '../metrics.ts';
import type { AppContext } from './context.ts';
import { interfaceOf } from './interface.ts';

/** The log's line about a request. */
interface RequestLog {
  requestId: string;
  method: string;
  /** The pattern of the route, not the path: a path may contain a code or a name. */
  route: string;
  status: number;
  durationMilliseconds: number;
  registrar: string | null;
  d1: number;
  kv: number;
}

/** Logs a request in one line and one data point, which contain no body, credential, identity code or name. */
export function logRequest(c: AppContext, startedAtMilliseconds: number): void {
  const { requestId, login, meter } = c.var;
  const request = {
    method: c.req.method,
    route: routeOf(c),
    status: c.res.status,
    durationMilliseconds: Date.now() - startedAtMilliseconds,
    registrar: login?.caller?.registrarCode ?? null,
    d1: meter.d1,
  };
  writeLog('info', requestFields({ requestId, ...request, kv: meter.kvReads }));
  const { rowsRead, kvReads } = meter;
  const metrics = { interface: interfaceOf(c.req.path), ...request, rowsRead, kvReads };
  writePoint(c.env, requestPoint(metrics));
}

/** The pattern of the first handler that the request matches, or of the middleware where it matches none. */
function routeOf(c: AppContext): string {
  const routes = matchedRoutes(c);
  const handler = routes.find(({ method }) => method !== METHOD_NAME_ALL);
  return (handler ?? routes.at(-1))?.path ?? '';
}

function requestFields({ requestId, durationMilliseconds, ...fields }: RequestLog) {
  return {
    event: 'request',
    request_id: requestId,
    ...fields,
    duration_ms: durationMilliseconds,
  };
}

/** Lines that wait to be written together, and the longest that they wait. */
const waiting: string[] = [];
const maximumWaiting = 100;
const maximumWaitMilliseconds = 1_000;

/**
 * Logs a request that was answered from memory, at once and without D1 or KV. Such a request costs less than a call of the
 * console, so the lines of many requests are written in one call, within a second. Log collectors split the entry at its
 * line breaks.
 */
export function logTogether(
  env: Env,
  context: Pick<ExecutionContext, 'waitUntil'>,
  request: Pick<RequestLog, 'requestId' | 'method' | 'route' | 'status'>,
): void {
  const all = { ...request, durationMilliseconds: 0, registrar: null, d1: 0, kv: 0 };
  waiting.push(JSON.stringify({ level: 'info', ...requestFields(all) }));
  writePoint(env, requestPoint({ ...all, interface: 'lists', rowsRead: 0, kvReads: 0 }));
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
