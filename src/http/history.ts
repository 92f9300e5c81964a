import type { history } from '../../drizzle/schema.ts';

/** An entry of a contact's history as the interfaces show it: instants ISO 8601, fields by their wire names. */
export function shownChange(entry: typeof history.$inferSelect) {
  return {
    at: entry.occurredAt,
    action: entry.action,
    by: entry.actor,
    request_id: entry.requestId,
    client_reference: entry.clientReference,
    changes: Object.fromEntries(
      Object.entries(entry.changes).map(([field, change]) => [wireName(field), change]),
    ),
  };
}

/** Columns are named alike on the wire, in snake case. */
function wireName(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
