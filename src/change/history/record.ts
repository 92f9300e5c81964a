import { type SQL, sql } from 'drizzle-orm';
import { contacts, domainRoles, type HistorySubject, history } from '../../../drizzle/schema.ts';
import { insertRows } from '../../base/database/insert-rows.ts';
import type { Operation } from '../origin.ts';
import type { Action } from './changes.ts';

export interface RecordedRows {
  subject: HistorySubject;
  action: Action;
  key: SQL;
  uuid: SQL | null;
  /** The code of the registrar that has or had the row; null if none. */
  registrar: SQL | null;
  /** JSON. */
  changes: SQL;
  source: SQL;
}

export function record(
  { db, origin: { actor, request } }: Operation,
  { subject, action, key, uuid, registrar, changes, source }: RecordedRows,
) {
  const entry = {
    occurredAt: request.at.toISOString(),
    subject,
    subjectKey: sql`recorded.key`,
    subjectUuid: sql`recorded.uuid`,
    registrar: sql`recorded.registrar`,
    action,
    actorType: actor.type,
    actor: actor.name,
    requestId: request.requestId,
    clientReference: request.clientReference ?? null,
    changes: subject === 'domain' ? withContactUuids(sql`recorded.changes`) : sql`recorded.changes`,
  };
  const rows = sql`select ${key} as key, ${uuid} as uuid, ${registrar} as registrar, ${changes} as changes ${source}`;
  return insertRows(db, history, entry, sql`from (${rows}) as recorded`);
}

/**
 * Adds to the codes of a domain's contacts the UUIDs that they have now, because another contact may get a code later.
 */
function withContactUuids(changes: SQL): SQL {
  const roles = sql.raw(domainRoles.map((role) => `'${role}'`).join(', '));
  const uuids = sql`select json_group_object(code, uuid) from ${contacts}
    where code in (select atom from json_tree(change.value))`;
  return sql`(
    select json_group_object(change.key, json(
      iif(change.key in (${roles}), json_set(change.value, '$.uuids', json((${uuids}))), change.value)))
    from json_each(${changes}) as change)`;
}
