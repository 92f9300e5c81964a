import { isAboutMigration, migrationHint } from './database/violations.ts';

export function writeLog(
  level: 'info' | 'warn' | 'error',
  fields: Readonly<Record<string, unknown>>,
): void {
  // biome-ignore lint/suspicious/noConsole: the platform collects what is printed as structured logs
  console[level](JSON.stringify({ level, ...fields }));
}

/** Logs the first cause only, because Drizzle adds the query's values to D1's error. */
export function logUnexpected(error: unknown, requestId: string | undefined): void {
  const { name, message: cause, stack } = firstCause(error);
  const message = isAboutMigration(error) ? `${migrationHint} ${cause}` : cause;
  writeLog('error', { event: 'unexpected', request_id: requestId, name, message, stack });
}

function firstCause(error: unknown): Error {
  let first = error;
  while (first instanceof Error && first.cause !== undefined) first = first.cause;
  return first instanceof Error ? first : new Error('not an Error');
}
