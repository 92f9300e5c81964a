import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { history } from '../../drizzle/schema.ts';
import { insertRows } from '../database/insert-rows.ts';
import type { Database } from '../database/open.ts';
import type { RecordedRows } from '../write.ts';
import type { Kind } from './kind.ts';

/*
 * Parts of statements about changes, which are the objects of a JSON array (`rowOf` in write.ts), each as `row`.
 */

export const changesIn = (array: string) => sql`json_each(${array}) as row`;

/** A value of a change, as text. */
export const valueIn = (path: string) => sql`row.value ->> ${sql.raw(`'$.${path}'`)}`;

/** The condition that the row of the table has the key of a change. */
export function isSameKey(kind: Kind): SQL {
  const same = kind.key.map(
    (name) => sql`${kind.columns[name]!.column} = ${valueIn(`id.${name}`)}`,
  );
  return sql`${sql.join(same, sql` and `)} and ${isOfKind(kind)}`;
}

export function isOfKind({ table, constants = {} }: Kind): SQL {
  const conditions = Object.entries(constants).map(
    ([name, value]) => sql`${table}.${sql.identifier(name)} = ${value}`,
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
function isRival({ columns, unique = [], rival = sql`false` }: Kind): SQL {
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
  return sql`(${sql.join([rival, ...same], sql` or `)})`;
}

/** The condition that `to` needs what is not there. */
function isLacking({ columns, lacks = sql`false` }: Kind): SQL {
  const stored = columns.registrar?.stored;
  return stored ? sql`(${lacks} or ${stored(valueIn('to.registrar'))} is null)` : lacks;
}

/** The condition that something stands in the way of `to`: another row, or that what it needs is not there. */
export function isObstructed(kind: Kind): SQL {
  const isOther = sql`${isRival(kind)} and not (${isSameKey(kind)})`;
  return sql`(${isLacking(kind)} or exists (select 1 from ${kind.table} where ${isOther}))`;
}

/** Those of the changes for which the newest entry of the history is of this request, as `row`. */
export function writtenBy(requestId: string, { subject }: Kind, array: string, uuid = 'uuid'): SQL {
  return sql`(select value from ${changesIn(array)} where ${requestId} = (
    select entry.request_id from ${history} as entry where entry.subject = ${subject}
      and entry.subject_key = ${valueIn('key')} and entry.subject_uuid is ${valueIn(uuid)}
    order by entry.id desc limit 1)) as row`;
}

/** The history of the rows, by what they have in `part`. */
export function recording(rows: SQL, part: 'removal.' | '' = ''): RecordedRows {
  return {
    key: valueIn(`${part}key`),
    uuid: valueIn(`${part}uuid`),
    registrar: valueIn(`${part}registrar`),
    changes: valueIn(`${part}changes`),
    source: sql`from ${rows}`,
  };
}

export function insertion(db: Database, kind: Kind, now: Date, source: SQL) {
  const { table, constants = {}, onAdd } = kind;
  const values = { ...constants, ...Object.fromEntries(storedValues(kind)), ...onAdd?.(now) };
  return insertRows(db, table, values as never, sql`from ${source}`);
}

/** The value of each column of the table that the form gives, or that follows from it. */
export function storedValues({ table, columns, derived = {} }: Kind): [property: string, SQL][] {
  const propertyOf = (column: SQLiteColumn) =>
    Object.entries(getTableColumns(table)).find(([, other]) => other === column)![0];
  const given = Object.entries(columns).flatMap(([name, { column, stored }]): [string, SQL][] => {
    const text = valueIn(`to.${name}`);
    return column ? [[propertyOf(column), stored?.(text) ?? text]] : [];
  });
  const following = Object.keys(derived).map((name): [string, SQL] => [
    name,
    valueIn(`derived.${name}`),
  ]);
  return [...given, ...following];
}
