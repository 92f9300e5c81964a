import { routePath } from 'hono/route';
import type { AppContext } from './context.ts';

/** One line for a request that was answered: never a body, a credential, an identity code or a name. */
export function logRequest(c: AppContext, startedAtMilliseconds: number): void {
  write('info', {
    event: 'request',
    request_id: c.var.requestId,
    method: c.req.method,
    route: routePath(c, -1),
    status: c.res.status,
    duration_ms: Date.now() - startedAtMilliseconds,
  });
}

/** One line for what nobody expected, with the request that met it. */
export function logUnexpected(error: unknown, requestId: string | undefined): void {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  write('error', { event: 'unexpected', request_id: requestId, name, message, stack });
}

function write(level: 'info' | 'error', fields: Record<string, unknown>): void {
  // biome-ignore lint/suspicious/noConsole: the platform collects what is printed, as structured logs
  console[level](JSON.stringify({ level, ...fields }));
}
