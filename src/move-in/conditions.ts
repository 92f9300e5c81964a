import { or, type SQL, sql } from 'drizzle-orm';
import { history } from '../../drizzle/schema.ts';
import { registrarIdOf } from '../registrar/account.ts';
import type { Kind } from './kind.ts';

/*
 * Conditions of changes, which are the objects of a JSON array (`rowOf` in write.ts), each as `row`.
 */

export const changesIn = (array: string) => sql`json_each(${array}) as row`;

/** A value of a change, as text. */
export const valueIn = (path: string) => sql`row.value ->> ${sql.raw(`'$.${path}'`)}`;

/** The condition that the row of the table has the key of a change. */
export function isSameKey(kind: Kind): SQL {
  const same = kind.key.map((name) => sql`${kind.columns[name]!.text} = ${valueIn(`id.${name}`)}`);
  return sql`${sql.join(same, sql` and `)} and ${isOfKind(kind)}`;
}

export function isOfKind({ table, constants = {} }: Kind): SQL {
  const conditions = Object.entries(constants).map(
    ([name, value]) => sql`${table}.${sql.identifier(name)} is ${value}`,
  );
  return sql.join([sql`true`, ...conditions], sql` and `);
}

/** The condition that the row of the table is the one of `from`, as it was compared. */
export function isAsCompared(kind: Kind): SQL {
  const same = Object.entries(kind.columns).map(
    ([name, { text }]) => sql`${text} is ${valueIn(`from.${name}`)}`,
  );
  return sql`${isSameKey(kind)} and ${sql.join(same, sql` and `)}`;
}

/** The condition that the row of the table has a value of `to` that only one may have. */
function isRival({ columns, unique = [] }: Kind): SQL {
  const same = unique.map(({ columns: names, where = {} }) => {
    const conditions = [
      ...names.map((name) => sql`${columns[name]!.column} = ${valueIn(`to.${name}`)}`),
      ...Object.entries(where).flatMap(([name, value]) => [
        sql`${columns[name]!.column} = ${value}`,
        sql`${valueIn(`to.${name}`)} = ${value}`,
      ]),
    ];
    return sql`(${sql.join(conditions, sql` and `)})`;
  });
  // SQLite uses the indexes only if each of the conditions has one, so there is none beside them.
  return or(...same) ?? sql`false`;
}

/** The condition that something stands in the way of `to`: another row, or that what it needs is not there. */
export function isObstructed(kind: Kind): SQL {
  const { table, columns, obstacle = sql`false` } = kind;
  const lacksRegistrar = columns.registrar
    ? sql`${registrarIdOf(valueIn('to.registrar'))} = 0`
    : sql`false`;
  const isOther = sql`${isRival(kind)} and not (${isSameKey(kind)})`;
  return sql`(${obstacle} or ${lacksRegistrar} or exists (select 1 from ${table} where ${isOther}))`;
}

/** Those of the changes for which the newest entry of the history is of this request, as `row`. */
export function writtenBy(requestId: string, { subject }: Kind, array: string, uuid = 'uuid'): SQL {
  return sql`(select value from ${changesIn(array)} where ${requestId} = (
    select entry.request_id from ${history} as entry where entry.subject = ${subject}
      and entry.subject_key = ${valueIn('key')} and entry.subject_uuid is ${valueIn(uuid)}
    order by entry.id desc limit 1)) as row`;
}
