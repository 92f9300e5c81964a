import { routePath } from 'hono/route';
import { writeLog } from '../log.ts';
import { requestPoint, writePoint } from '../metrics.ts';
import type { AppContext } from './context.ts';
import { interfaceOf } from './interface.ts';

/** What the log says about a request. */
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
    route: routePath(c, -1),
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
 * Logs a request that was answered at once, without D1 or KV. Such a request costs less than a call of the console, so the
 * lines of many requests are written in one call, within a second. Log collectors split the entry at its line breaks.
 */
export function logTogether(
  context: Pick<ExecutionContext, 'waitUntil'>,
  request: Pick<RequestLog, 'requestId' | 'method' | 'route' | 'status'>,
): void {
  const none = { durationMilliseconds: 0, registrar: null, d1: 0, kv: 0 };
  waiting.push(JSON.stringify({ level: 'info', ...requestFields({ ...request, ...none }) }));
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
