import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import { history } from '../../drizzle/schema.ts';
import { identityKey } from '../contact/identity-code.ts';
import { jsonArrays } from '../database/json-rows.ts';
import type { Database } from '../database/open.ts';
import { retried } from '../database/retry.ts';
import { type Changes, difference } from '../history/changes.ts';
import { withoutContactUuids } from '../history/contact-uuids.ts';
import { registrarIdOf } from '../registrar/account.ts';
import { type ChangesOfMany, changeEach, changesOfRows, type Origin } from '../write.ts';
import {
  changesIn,
  isAsCompared,
  isObstructed,
  isSameKey,
  valueIn,
  writtenBy,
} from './conditions.ts';
import type { Form, Kind } from './kind.ts';
import { historyKeyOf } from './read.ts';

/** A row to add, to update or to remove; or, where it differs in what cannot be updated, to remove and add again. */
export type RowChange =
  | { action: 'add'; from: null; to: Form }
  | { action: 'update' | 'replace'; from: Form; to: Form }
  | { action: 'remove'; from: Form; to: null };

/** A change that was not made. */
export interface Skipped<Change extends RowChange> {
  change: Change;
  /** A row that refers to the one that was to go; null if that is not why. */
  heldBy: string | null;
}

/**
 * Makes the changes, all of one action, in one batch: those of rows that are still as they were compared, and that
 * nothing stands in the way of. Returns the others.
 */
export async function writeForms<Change extends RowChange>(
  db: Database,
  origin: Origin,
  kind: Kind,
  changes: readonly Change[],
): Promise<Skipped<Change>[]> {
  const { action } = changes[0]!;
  // A replacement is a removal and an addition.
  const steps = { add: [add], update: [update], remove: [remove], replace: [remove, add] }[action];
  const rows = changes.map((change, place) => ({ place, ...rowOf(kind, change) }));
  const arrays = jsonArrays(action === 'replace' ? await withLinks(db, kind, rows) : rows);
  const parts = arrays.map((array) => ({ db, request: origin.request, kind, action, array }));
  const all = parts.flatMap((part) => steps.map((step) => step(part)));
  const { written } = await retried(() => changeEach(db, origin, { written: all }));
  if (written === rows.length * steps.length) return [];
  const skipped = parts.map((part) => retried(() => readSkipped(part)));
  return (await Promise.all(skipped))
    .flat()
    .map(({ place, ...found }) => ({ change: changes[place]!, ...found }));
}

/** A part of the changes, small enough for a statement: a JSON array of what `rowOf` returns. */
interface Part {
  db: Database;
  request: Origin['request'];
  kind: Kind;
  action: RowChange['action'];
  array: string;
}

/** The rows with what goes along with those that are going to be replaced. */
async function withLinks<Row extends { place: number; id: object }>(
  db: Database,
  kind: Kind,
  rows: readonly Row[],
) {
  const keys = JSON.stringify(rows.map(({ place, id }) => ({ place, id })));
  const found = await retried(() =>
    db.all<{ place: number; links: string }>(sql`
      select row.value ->> 'place' as place, ${kind.links} as links
      from ${changesIn(keys)} join ${kind.table} on ${isSameKey(kind)}`),
  );
  const links = new Map(found.map(({ place, links }) => [place, links]));
  return rows.map((row) => ({ ...row, links: links.get(row.place) }));
}

/** Those of the rows that the request has not written. */
function readSkipped({ db, request, kind, action, array }: Part) {
  const { table, subject } = kind;
  const heldBy = action === 'remove' ? (kind.heldBy ?? null) : null;
  return db.all<{ place: number; heldBy: string | null }>(sql`
    select row.value ->> 'place' as place, (select ${heldBy} from ${table} where ${isSameKey(kind)}) as heldBy
    from ${changesIn(array)}
    where not exists (select 1 from ${history} as entry where entry.subject = ${subject}
      and entry.subject_key = row.value ->> 'key' and entry.subject_uuid is row.value ->> 'uuid'
      and entry.request_id = ${request.requestId}
      and ${withoutContactUuids(sql`entry.changes`)} = row.value -> 'changes')`);
}

/** The JSON of a change: `id` with the key, both forms, the row for the noun, and what the history needs beside them. */
function rowOf(kind: Kind, { action, from, to }: RowChange) {
  const form = (to ?? from)!;
  const isReplaced = action === 'replace';
  return {
    id: Object.fromEntries(kind.key.map((name) => [name, form[name]])),
    ...historyKeyOf(kind, form),
    from,
    to,
    row: to && storedRow(kind, to),
    changes: changesOf(kind, isReplaced ? null : from, to),
    ...(isReplaced && {
      removal: { ...historyKeyOf(kind, from), changes: changesOf(kind, from, null) },
    }),
  };
}

function storedRow({ columns, constants, derived = {} }: Kind, form: Form) {
  const values = Object.entries(columns).map(([name, { field, stored }]) => {
    const text = form[name] ?? null;
    return [field, stored?.(text) ?? text];
  });
  const following = mapped(derived, (derive) => derive(form));
  return { ...constants, ...Object.fromEntries(values), ...following };
}

function changesOf(kind: Kind, from: Form | null, to: Form | null): Changes {
  const [before, after] = [recorded(kind, from), recorded(kind, to)];
  const changes = difference(before, to ? after : mapped(before, () => null));
  if (to || kind.subject !== 'contact') return changes;
  // A registrant finds the history of a deleted contact by it.
  return { ...changes, ident: { from: from!.ident, to: null, key: identityKey(from!.ident!) } };
}

function mapped<Value, Result>(
  values: Readonly<Record<string, Value>>,
  change: (value: Value, name: string) => Result,
): Record<string, Result> {
  const changed = Object.entries(values).map(([name, value]) => [name, change(value, name)]);
  return Object.fromEntries(changed);
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

function add({ db, request, kind, action, array }: Part): ChangesOfMany {
  const { table, subject } = kind;
  const written = writtenBy(request.requestId, kind, array);
  const meant =
    action === 'replace'
      ? sql`${writtenBy(request.requestId, kind, array, 'from.uuid')} where true`
      : sql`${changesIn(array)} where not ${isObstructed(kind)}`;
  // A batch that was reported as failed, and was done, is sent again.
  const free = sql`from ${meant} and not exists (select 1 from ${table} where ${isSameKey(kind)})`;
  // The version is above every one that such a row had before it left: each has its own entry of history.
  const newest = sql`ifnull((select max(id) from ${history}), 0) + 1`;
  const row = sql`json_set(row.value -> 'row', '$.version', ${newest})`;
  const statements = [
    kind.insert(db, sql`select ${row} as row ${free}`, request.at),
    ...(kind.following?.(db, written) ?? []),
  ];
  const rows = sql`select row.value as row ${free}`;
  return changesOfRows(subject, kind.action ?? 'create', rows, statements, 'key');
}

function update({ db, request, kind, array }: Part): ChangesOfMany {
  const { table, subject } = kind;
  const isMeant = sql`${isAsCompared(kind)} and not ${isObstructed(kind)}`;
  const rows = sql`select row.value as row from ${having(kind, array, isMeant)}`;
  const statements = [
    db.update(table).set(updatedValues(kind)).from(changesIn(array)).where(isMeant),
    ...(kind.following?.(db, writtenBy(request.requestId, kind, array)) ?? []),
  ];
  return changesOfRows(subject, 'update', rows, statements, 'key');
}

/** The columns that the form gives, or that follow from it, but those that stay as they are. */
function updatedValues({ table, columns, key, fixed = [], derived = {} }: Kind) {
  const given = Object.entries(columns).flatMap(([name, { column, field }]) => {
    if (!column || key.includes(name) || fixed.includes(name)) return [];
    const value = valueIn(`row.${field}`);
    return [field === 'registrar' ? ['registrarId', registrarIdOf(value)] : [field, value]];
  });
  return {
    ...Object.fromEntries(given),
    ...mapped(derived, (_, field) => valueIn(`row.${field}`)),
    ...('version' in getTableColumns(table) && { version: sql`version + 1` }),
  };
}

function remove({ db, request, kind, action, array }: Part): ChangesOfMany {
  const { table, subject, heldBy = null, links } = kind;
  const isReplaced = action === 'replace';
  const isFree = isReplaced
    ? sql`row.value ->> 'links' = ${links} and not ${isObstructed(kind)}`
    : sql`${heldBy} is null`;
  const isMeant = sql`${isAsCompared(kind)} and ${isFree}`;
  const written = writtenBy(request.requestId, kind, array, 'from.uuid');
  const isGoing = sql`${table}.rowid in (
    select ${table}.rowid from ${written} join ${table} on ${isAsCompared(kind)})`;
  const recorded = isReplaced ? sql`row.value -> 'removal'` : sql`row.value`;
  const rows = sql`select ${recorded} as row from ${having(kind, array, isMeant)}`;
  const statements = [...(kind.goingAlong?.(db, isGoing) ?? []), db.delete(table).where(isGoing)];
  return changesOfRows(subject, kind.action ?? 'delete', rows, statements, 'key');
}

/** The changes for which a row of the table meets the condition. */
function having({ table }: Kind, array: string, condition: SQL): SQL {
  return sql`${changesIn(array)} where exists (select 1 from ${table} where ${condition})`;
}
