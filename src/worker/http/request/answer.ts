import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { history } from '../../../../drizzle/schema.ts';
import { isAboutBookmark } from '../../../base/database/violations.ts';
import { type Problem, type Reason, RegistryError } from '../../../base/error.ts';
import { changesRepresentation } from '../../../change/history/changes.ts';
import { SettingsError } from '../../settings.ts';
import { bookmarkRefused } from './client-headers.ts';
import type { AppContext } from './context.ts';

export type ErrorForm = (error: RegistryError, c: AppContext) => Response;

export const statuses: Record<Reason, ContentfulStatusCode> = {
  malformed: 400,
  missing: 400,
  out_of_range: 400,
  invalid: 400,
  identity_invalid: 400,
  too_large: 413,
  coded: 415,
  unauthorized: 401,
  address_denied: 401,
  throttled: 429,
  forbidden: 403,
  taken: 400,
  conflict: 409,
  not_found: 404,
  update_prohibited: 400,
  delete_prohibited: 400,
  linked: 400,
  identity_change: 400,
  status_change: 400,
  changed_meanwhile: 412,
  busy: 503,
  key_reused: 422,
  gone: 410,
  not_offered: 400,
  service_failed: 502,
  unknown_route: 404,
  method_not_allowed: 405,
  misconfigured: 503,
  unexpected: 500,
};

/** `{errors: {<field>: [<message>, …]}}` with additional fields. Problems without a field are under `base`. */
export function fieldErrors(
  error: RegistryError,
  c: AppContext,
  fixed: Partial<Record<Reason, string>> = {},
  more: Record<string, string> = {},
): Response {
  const errors = messagesByField(error.problems, fixed);
  return c.json({ errors, ...more }, statuses[error.reason]);
}

/** Distinct messages by field: every element of a list may have the same problem. */
export function messagesByField(
  problems: readonly Problem[],
  fixed: Partial<Record<Reason, string>>,
): Record<string, string[]> {
  const byField = Map.groupBy(problems, ({ field = 'base' }) => field);
  return Object.fromEntries(
    Array.from(byField, ([field, its]) => [
      field,
      [...new Set(its.map(({ reason, message }) => fixed[reason] ?? message))],
    ]),
  );
}

/** The refusal for the client. For an unexpected error or a wrong setting, which the log names, it has only the request id. */
export function refusalOf(error: Error, c: AppContext): RegistryError {
  if (error instanceof RegistryError) return error;
  if (c.var.bookmark && isAboutBookmark(error)) return bookmarkRefused();
  if (error instanceof SettingsError) {
    const message = `The registry is not set up correctly, request id ${c.var.requestId}`;
    return new RegistryError('misconfigured', message);
  }
  return new RegistryError('unexpected', `Internal error, request id ${c.var.requestId}`);
}

export function historyEntry(entry: typeof history.$inferSelect) {
  return {
    at: entry.occurredAt,
    action: entry.action,
    by: entry.actor,
    request_id: entry.requestId,
    client_reference: entry.clientReference,
    changes: changesRepresentation(entry.changes),
  };
}
