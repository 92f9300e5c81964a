import { type Column, type SQL, sql } from 'drizzle-orm';
import { contacts } from '../../drizzle/schema.ts';
import { type Contact, statusesOf } from './read.ts';

/**
 * How an interface shows contacts: each name on the wire, in their order, with the field behind it. `text` stands for
 * a field that is empty where nothing is known. The statuses are shown as `statusesOf` gives them.
 */
export type Form = Record<string, keyof Contact | { text: keyof Contact }>;

/** A contact in this form. */
export function shown(contact: Contact, form: Form): Record<string, unknown> {
  const value = (field: Form[string]) => {
    if (field === 'statuses') return statusesOf(contact);
    return typeof field === 'string' ? contact[field] : (contact[field.text] ?? '');
  };
  return Object.fromEntries(Object.entries(form).map(([name, field]) => [name, value(field)]));
}

/** D1 takes 32 arguments in a call of a function: the names and values of 16 fields. */
const fieldsOfCall = 16;

/**
 * The same, written by the database: columns of JSON texts, which `joinedJson` makes one of. A page of contacts so
 * passes through as text, where decoding and encoding each field takes longer than the query.
 */
export function shownByDatabase(form: Form): Record<string, SQL.Aliased> {
  const pairs = Object.entries(form).map(
    ([name, field]) => sql`${sql.raw(`'${name}'`)}, ${expressionOf(field)}`,
  );
  const columns: Record<string, SQL.Aliased> = {};
  for (let first = 0; first < pairs.length; first += fieldsOfCall) {
    const call = pairs.slice(first, first + fieldsOfCall);
    columns[`json${first}`] = sql`json_object(${sql.join(call, sql`, `)})`.as(`json${first}`);
  }
  return columns;
}

/** One JSON array of what rows of `shownByDatabase` hold. */
export function joinedJson(rows: Record<string, string>[]): string {
  const objects = rows.map((row) =>
    Object.values(row)
      .map((json) => json.slice(1, -1))
      .join(','),
  );
  return objects.length === 0 ? '[]' : `[{${objects.join('},{')}}]`;
}

function expressionOf(field: Form[string]): SQL {
  if (field === 'statuses') return shownStatuses;
  if (typeof field === 'object') return sql`ifnull(${contacts[field.text]}, '')`;
  const column = contacts[field];
  return isJson(column) ? sql`json(${column})` : sql`${column}`;
}

function isJson(column: Column): boolean {
  return column.dataType === 'json';
}

/** As `statusesOf`. */
const stored = sql`iif(json_array_length(${contacts.statuses}) = 0, '["ok"]', ${contacts.statuses})`;
const shownStatuses = sql`json(
  iif(${contacts.domainCount} > 0, json_insert(${stored}, '$[#]', 'linked'), ${stored}))`;
