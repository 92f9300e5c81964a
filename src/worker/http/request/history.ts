import type { history } from '../../../../drizzle/schema.ts';
import { shownChanges } from '../../../change/history/changes.ts';

export function historyEntry(entry: typeof history.$inferSelect) {
  return {
    at: entry.occurredAt,
    action: entry.action,
    by: entry.actor,
    request_id: entry.requestId,
    client_reference: entry.clientReference,
    changes: shownChanges(entry.changes),
  };
}
