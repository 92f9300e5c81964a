import { type SQL, sql } from 'drizzle-orm';
import { contacts, domainRoles } from '../../../drizzle/schema.ts';

/**
 * The changes of a domain, which are JSON, with the UUIDs that its contacts have now beside their codes: a code may be
 * given to another contact later.
 */
export function withContactUuids(changes: SQL): SQL {
  const roles = sql.raw(domainRoles.map((role) => `'${role}'`).join(', '));
  const uuids = sql`select json_group_object(code, uuid) from ${contacts}
    where code in (select atom from json_tree(change.value))`;
  return sql`(
    select json_group_object(change.key, json(
      iif(change.key in (${roles}), json_set(change.value, '$.uuids', json((${uuids}))), change.value)))
    from json_each(${changes}) as change)`;
}

/** The changes as they were before `withContactUuids`. */
export function withoutContactUuids(changes: SQL): SQL {
  const paths = sql.raw(domainRoles.map((role) => `'$.${role}.uuids'`).join(', '));
  return sql`json_remove(${changes}, ${paths})`;
}
