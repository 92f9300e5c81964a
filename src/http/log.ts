import { routePath } from 'hono/route';
import type { AppContext } from './context.ts';

/**
 * One line for a request that was answered: its route's pattern and not its path, never a body, a credential, an
 * identity code or a name.
 */
export function logRequest(c: AppContext, startedAtMilliseconds: number): void {
  write('info', {
    event: 'request',
    request_id: c.var.requestId,
    method: c.req.method,
    route: routePath(c, -1),
    status: c.res.status,
    duration_ms: Date.now() - startedAtMilliseconds,
    registrar: c.var.login?.caller?.registrarCode ?? null,
    d1: c.var.meter.d1,
    kv: c.var.meter.kvReads,
  });
}

/**
 * One line for what nobody expected, with the request that met it. Of an error with a cause, the first cause is told:
 * Drizzle wraps what D1 says into a message that holds the values of the query.
 */
export function logUnexpected(error: unknown, requestId: string | undefined): void {
  let first = error;
  while (first instanceof Error && first.cause !== undefined) first = first.cause;
  const { name, message, stack } = first instanceof Error ? first : new Error('not an Error');
  write('error', { event: 'unexpected', request_id: requestId, name, message, stack });
}

/** Lines that wait for each other, and for how long at most. */
const waiting: string[] = [];
const maximumWaiting = 100;
const maximumWaitMilliseconds = 1_000;

/**
 * One line as `logRequest` writes it, for a request that costs less than a call of the console: the lines of many are
 * written in one call, within a second. What collects the log splits such an entry at its line breaks.
 */
export function logTogether(
  context: Pick<ExecutionContext, 'waitUntil'>,
  fields: Record<string, unknown>,
): void {
  waiting.push(JSON.stringify({ level: 'info', ...fields }));
  if (waiting.length === 1) {
    const wait = new Promise((resolve) => setTimeout(resolve, maximumWaitMilliseconds));
    context.waitUntil(wait.then(writeWaiting));
  }
  if (waiting.length === maximumWaiting) writeWaiting();
}

function writeWaiting(): void {
  if (waiting.length === 0) return;
  // biome-ignore lint/suspicious/noConsole: as below
  console.info(waiting.splice(0).join('\n'));
}

function write(level: 'info' | 'error', fields: Record<string, unknown>): void {
  // biome-ignore lint/suspicious/noConsole: the platform collects what is printed, as structured logs
  console[level](JSON.stringify({ level, ...fields }));
}
