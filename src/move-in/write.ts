import { eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { contacts, domainContacts, history } from '../../drizzle/schema.ts';
import { identityKey } from '../contact/identity-code.ts';
import { insertRows } from '../database/insert-rows.ts';
import { isIn, jsonArrays } from '../database/json-rows.ts';
import type { Database } from '../database/open.ts';
import { retried } from '../database/retry.ts';
import { type Changes, difference } from '../history/changes.ts';
import { type ChangesOfMany, changeEach, type Origin } from '../write.ts';
import { type Form, type Kind, keyOf } from './kind.ts';
import { historyKeyOf, isSameKey, readFormsOf } from './read.ts';

/** A row to add, to update or to remove; or, where it differs in what cannot be updated, to remove and add again. */
export type RowChange =
  | { action: 'add'; from: null; to: Form }
  | { action: 'update' | 'replace'; from: Form; to: Form }
  | { action: 'remove'; from: Form; to: null };

/** A change that was not made, with what is there instead, and what holds a row that was to go. */
export interface Left {
  change: RowChange;
  here: Form | undefined;
  heldBy: string | null;
}

/**
 * Makes the changes, all of one action, in one batch: those of rows that are still as they were compared, and that
 * nothing stands in the way of. Returns the others.
 */
export async function writeForms(
  db: Database,
  origin: Origin,
  kind: Kind,
  changes: readonly RowChange[],
): Promise<Left[]> {
  const { action } = changes[0]!;
  const steps = { add, update, remove, replace }[action];
  const rows = changes.map((change) => rowOf(kind, change));
  const arrays = jsonArrays(action === 'replace' ? await withLinks(db, rows) : rows);
  const all = arrays.flatMap((array) => steps(db, origin, kind, array));
  const { written } = await retried(() => changeEach(db, origin, { written: all }));
  // A replacement is a removal and an addition.
  if (written === rows.length * (action === 'replace' ? 2 : 1)) return [];
  const present = new Map<string, { form: Form; heldBy: string | null }>();
  for (const array of arrays) {
    for (const found of await retried(() => readFormsOf(db, kind, array))) {
      present.set(keyOf(kind, found.form), found);
    }
  }
  return changes
    .map((change) => {
      const { form: here, heldBy = null } =
        present.get(keyOf(kind, (change.to ?? change.from)!)) ?? {};
      return { change, here, heldBy };
    })
    .filter(({ change, here }) => !isSame(change.to, here));
}

/** The registry gives an id to a row without one. */
function isSame(wanted: Form | null, here: Form | undefined): boolean {
  if (!wanted || !here) return !wanted && !here;
  return Object.keys(here).every(
    (name) => wanted[name] === here[name] || (name === 'id' && wanted.id === null),
  );
}

/** The JSON of a change: `id` with the key, both forms, and what the history and the table need beside them. */
function rowOf(kind: Kind, { action, from, to }: RowChange) {
  const form = (to ?? from)!;
  const isReplaced = action === 'replace';
  return {
    id: Object.fromEntries(kind.key.map((name) => [name, form[name]])),
    ...historyKeyOf(kind, form),
    from,
    to,
    derived: to && mapped(kind.derived ?? {}, (derive) => derive(to)),
    changes: changesOf(kind, isReplaced ? null : from, to),
    ...(isReplaced && { removal: changesOf(kind, from, null) }),
  };
}

function changesOf(kind: Kind, from: Form | null, to: Form | null): Changes {
  const [before, after] = [recorded(kind, from), recorded(kind, to)];
  const changes = difference(before, to ? after : mapped(before, () => null));
  if (to || kind.subject !== 'contact') return changes;
  // A registrant finds the history of a deleted contact by it.
  return { ...changes, ident: { from: from!.ident, to: null, key: identityKey(from!.ident!) } };
}

type Row = ReturnType<typeof rowOf>;

function mapped<Value, Result>(
  values: Readonly<Record<string, Value>>,
  change: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}

/** The values of a form as the history records them. */
function recorded({ columns, constants }: Kind, form: Form | null): Record<string, unknown> {
  if (!form) return {};
  const values = Object.entries(columns).map(([name, column]) => {
    const text = form[name] ?? null;
    const value = text === null || !column.recorded ? text : column.recorded(text);
    return [column.field, value];
  });
  return { ...constants, ...Object.fromEntries(values) };
}

const rowsOf = (array: string) => sql`json_each(${array}) as row`;
const valueIn = (form: 'from' | 'to', name: string) =>
  sql`row.value ->> ${sql.raw(`'$.${form}.${name}'`)}`;

/** The query of the history of those rows that meet the condition. */
function recording(array: string, condition: SQL): SQL {
  return sql`select row.value ->> 'key' as key, row.value ->> 'uuid' as uuid, row.value -> 'changes' as changes
    from ${rowsOf(array)} where ${condition}`;
}

function add(db: Database, { request }: Origin, kind: Kind, array: string): ChangesOfMany[] {
  const { table } = kind;
  const isFree = sql`not exists (select 1 from ${table} where ${isSameKey(kind)}) and not ${isObstructed(kind)}`;
  return [
    {
      subject: kind.subject,
      action: 'create',
      rows: recording(array, isFree),
      statements: [
        insertion(db, kind, request.at, sql`${rowsOf(array)} where ${isFree}`),
        ...(kind.following?.(db, writtenBy(request.requestId, kind, array)) ?? []),
      ],
    },
  ];
}

function insertion(db: Database, kind: Kind, now: Date, source: SQL) {
  const { table, constants = {}, onAdd } = kind;
  const values = { ...constants, ...Object.fromEntries(storedValues(kind)), ...onAdd?.(now) };
  return insertRows(db, table, values as never, sql`from ${source}`);
}

/** The value of each column of the table that the form gives, or that follows from it. */
function storedValues({ table, columns, derived = {} }: Kind): [property: string, SQL][] {
  const propertyOf = (column: SQLiteColumn) =>
    Object.entries(getTableColumns(table)).find(([, other]) => other === column)![0];
  const given = Object.entries(columns).flatMap(([name, { column, stored }]): [string, SQL][] => {
    const text = valueIn('to', name);
    return column ? [[propertyOf(column), stored?.(text) ?? text]] : [];
  });
  const following = Object.keys(derived).map((name): [string, SQL] => [
    name,
    sql`row.value ->> ${sql.raw(`'$.derived.${name}'`)}`,
  ]);
  return [...given, ...following];
}

/** The condition that another row has a value that no two rows share, or that there is no such registrar. */
function isObstructed(kind: Kind): SQL {
  const { table, columns, unique = [], obstacle = sql`false` } = kind;
  const obstacles = unique.map(({ columns: names, where = {} }) => {
    const same = [
      ...names.map((name) => sql`${columns[name]!.column} = ${valueIn('to', name)}`),
      ...Object.entries(where).flatMap(([name, value]) => [
        sql`${columns[name]!.column} = ${value}`,
        sql`${valueIn('to', name)} = ${value}`,
      ]),
    ];
    return sql`exists (select 1 from ${table} where ${sql.join(same, sql` and `)}
      and not (${isSameKey(kind)}))`;
  });
  return sql`(${sql.join([obstacle, isOfNobody(kind), ...obstacles], sql` or `)})`;
}

/** The condition that there is no such registrar. */
function isOfNobody({ columns }: Kind): SQL {
  const stored = columns.registrar?.stored;
  return stored ? sql`${stored(valueIn('to', 'registrar'))} is null` : sql`false`;
}

/** The condition that the row of the table is the one of `from` in `row.value`, as it was compared. */
function isAsCompared(kind: Kind): SQL {
  const same = Object.entries(kind.columns).map(
    ([name, { text }]) => sql`${text} is ${valueIn('from', name)}`,
  );
  return sql`${isSameKey(kind, 'from')} and ${sql.join(same, sql` and `)}`;
}

function update(db: Database, { request }: Origin, kind: Kind, array: string): ChangesOfMany[] {
  const { table, key, fixed = [], columns, onUpdate = {} } = kind;
  const kept = [...key, ...fixed].map((name) => columns[name]!.column);
  const tableColumns = getTableColumns(table);
  const values = [...storedValues(kind), ...Object.entries(onUpdate)].filter(
    ([property]) => !kept.includes(tableColumns[property]),
  );
  const isMeant = sql`${isAsCompared(kind)} and not ${isObstructed(kind)}`;
  return [
    {
      subject: kind.subject,
      action: 'update',
      rows: recording(array, sql`exists (select 1 from ${table} where ${isMeant})`),
      statements: [
        db.update(table).set(Object.fromEntries(values)).from(rowsOf(array)).where(isMeant),
        ...(kind.following?.(db, writtenBy(request.requestId, kind, array)) ?? []),
      ],
    },
  ];
}

function remove(db: Database, _origin: Origin, kind: Kind, array: string): ChangesOfMany[] {
  const { table, heldBy = null } = kind;
  const isMeant = sql`${isAsCompared(kind)} and ${heldBy} is null`;
  const isGoing = sql`${table}.rowid in (
    select ${table}.rowid from ${rowsOf(array)} join ${table} on ${isMeant})`;
  return [
    {
      subject: kind.subject,
      action: 'delete',
      rows: recording(array, sql`exists (select 1 from ${table} where ${isMeant})`),
      statements: [...(kind.goingAlong?.(db, isGoing) ?? []), db.delete(table).where(isGoing)],
    },
  ];
}

/** The rows with the domains that link each contact which is going to be replaced. */
async function withLinks(db: Database, rows: readonly Row[]) {
  const codes = JSON.stringify(rows.map(({ from }) => from!.code));
  const links = await retried(() =>
    db
      .select({ code: contacts.code, domain: domainContacts.domainId, role: domainContacts.role })
      .from(contacts)
      .innerJoin(domainContacts, eq(domainContacts.contactId, contacts.id))
      .where(isIn(contacts.code, codes)),
  );
  const linksOf = Map.groupBy(links, ({ code }) => code);
  return rows.map((row) => {
    const links = linksOf.get(row.from!.code!) ?? [];
    return { ...row, links };
  });
}

/** Removes contacts and adds them again, with their links to domains. */
function replace(db: Database, { request }: Origin, kind: Kind, array: string): ChangesOfMany[] {
  const old = { key: 'from.code', uuid: 'from.uuid' };
  const going = sql`select ${contacts.id} from ${writtenBy(request.requestId, kind, array, old)}
    join ${contacts} on ${isSameKey(kind, 'from')}`;
  const isMeant = sql`exists (select 1 from ${contacts} where ${isAsCompared(kind)} and json_array_length(row.value, '$.links')
    = (select count(*) from ${domainContacts} where ${domainContacts.contactId} = ${contacts.id}))`;
  const code = sql`row.value ->> '$.from.code'`;
  const isInTheWay = sql`(${contacts.code} = row.value ->> '$.to.code' or ${contacts.uuid} = row.value ->> '$.to.uuid'
    or ${contacts.id} = cast(row.value ->> '$.to.id' as integer))`;
  // A contact that is not replaced keeps what another is to get, and so do those that wait for that one.
  const staying = sql`
    with recursive staying (code) as (
      select ${code} from ${rowsOf(array)} where not ${isMeant} or ${isOfNobody(kind)} or exists (
        select 1 from ${contacts} where ${isInTheWay}
          and ${contacts.code} not in (select value ->> '$.from.code' from json_each(${array})))
      union
      select ${code} from staying join ${contacts} on ${contacts.code} = staying.code
        join ${rowsOf(array)} on ${isInTheWay})
    select code from staying`;
  const again = writtenBy(request.requestId, kind, array, old);
  const link = {
    domainId: sql`link.value ->> 'domain'`,
    contactId: sql`row.value ->> '$.to.id'`,
    role: sql`link.value ->> 'role'`,
  };
  const { subject } = kind;
  return [
    {
      subject,
      action: 'delete',
      rows: sql`select ${code} as key, row.value ->> '$.from.uuid' as uuid, row.value -> 'removal' as changes
        from ${rowsOf(array)} where ${code} not in (${staying})`,
      statements: [],
    },
    {
      subject,
      action: 'create',
      // A batch that was reported as failed, and was done, is sent again.
      rows: sql`select row.value ->> 'key' as key, row.value ->> 'uuid' as uuid, row.value -> 'changes' as changes
        from ${again} where not exists (select 1 from ${contacts} where ${isSameKey(kind)}
          and ${contacts.id} = cast(row.value ->> '$.to.id' as integer) and ${contacts.uuid} = row.value ->> '$.to.uuid'
          and ${kind.columns.registrar!.text} = row.value ->> '$.to.registrar')`,
      statements: [
        db.delete(domainContacts).where(sql`${domainContacts.contactId} in (${going})`),
        db.delete(contacts).where(sql`${contacts.id} in (${going})`),
        insertion(db, kind, request.at, sql`${again} where true`),
        insertRows(
          db,
          domainContacts,
          link,
          sql`from ${again}, json_each(row.value, '$.links') as link`,
        ),
      ],
    },
  ];
}

/** Those of the rows whose newest entry in the history is of this request, as `row`. */
function writtenBy(
  requestId: string,
  { subject }: Kind,
  array: string,
  { key, uuid } = { key: 'key', uuid: 'uuid' },
): SQL {
  const at = (path: string) => sql`value ->> ${sql.raw(`'$.${path}'`)}`;
  return sql`(select value from json_each(${array}) where ${requestId} = (
    select entry.request_id from ${history} as entry where entry.subject = ${subject}
      and entry.subject_key = ${at(key)} and entry.subject_uuid is ${at(uuid)}
    order by entry.id desc limit 1)) as row`;
}
