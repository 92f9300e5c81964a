import { type Column, type SQL, sql } from 'drizzle-orm';
import { contacts } from '../../drizzle/schema.ts';
import { type Contact, statusesOf } from './contact.ts';
import { contactColumns, contactFields, type RegistrarColumn } from './fields.ts';

/**
 * The fields in the order that is documented for registrars. If one that they see is missing, it does not compile.
 */
const registrarOrder = Object.keys({
  id: true,
  code: true,
  phone: true,
  email: true,
  fax: true,
  createdAt: true,
  updatedAt: true,
  ident: true,
  identType: true,
  authInfo: true,
  name: true,
  orgName: true,
  registrarId: true,
  creator: true,
  updater: true,
  identCountryCode: true,
  city: true,
  street: true,
  zip: true,
  countryCode: true,
  state: true,
  legacyId: true,
  statuses: true,
  statusNotes: true,
} satisfies Record<RegistrarColumn, true>) as RegistrarColumn[];

export function registrarRepresentation(contact: Contact): Record<string, unknown> {
  return Object.fromEntries(
    registrarOrder.map((column) => [
      contactFields[column].registrar,
      column === 'statuses'
        ? statusesOf(contact)
        : (contact[column] ?? contactFields[column].blank),
    ]),
  );
}

/** The contact as the registrant interface shows it: only strings and lists, empty if the value is unknown. */
export function registrantRepresentation(contact: Contact): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const [column, { registrant: path }] of contactColumns) {
    if (path === null) continue;
    const value = column === 'statuses' ? statusesOf(contact) : (contact[column] ?? '');
    const [name, inner] = path.split('.') as [string, string?];
    if (inner === undefined) shown[name] = value;
    else shown[name] = { ...(shown[name] as object), [inner]: value };
  }
  return shown;
}

/** Record ids say nothing about the person. */
const recordIds: (keyof Contact)[] = ['id', 'registrarId'];

/** The contact with everything that either interface shows of it, for the person to take away. */
export function personalRepresentation(contact: Contact): Record<string, unknown> {
  const shown = registrantRepresentation(contact);
  for (const [column, { registrant, registrar }] of contactColumns) {
    if (registrant === null && registrar !== null && !recordIds.includes(column)) {
      shown[registrar] = contact[column];
    }
  }
  return shown;
}

/** D1 accepts 32 arguments in a function call: the names and values of 16 fields. */
const fieldsOfCall = 16;

/**
 * Columns of JSON text that `joinedJson` joins into the representation for registrars. The database writes the JSON, so a
 * page of contacts passes through as text; decoding and encoding each field would take longer than the query.
 */
export function representedByDatabase(): Record<string, SQL.Aliased> {
  const pairs = registrarOrder.map(
    (column) => sql`${sql.raw(`'${contactFields[column].registrar}'`)}, ${expressionOf(column)}`,
  );
  const columns: Record<string, SQL.Aliased> = {};
  for (let first = 0; first < pairs.length; first += fieldsOfCall) {
    const call = pairs.slice(first, first + fieldsOfCall);
    columns[`json${first}`] = sql`json_object(${sql.join(call, sql`, `)})`.as(`json${first}`);
  }
  return columns;
}

/** A JSON array of the objects in rows of `representedByDatabase`; other columns are left out. */
export function joinedJson(rows: readonly Record<`json${number}`, string>[]): string {
  const objects = rows.map((row) =>
    Object.entries(row)
      .filter(([column]) => column.startsWith('json'))
      .map(([, json]) => json.slice(1, -1))
      .join(','),
  );
  return objects.length === 0 ? '[]' : `[{${objects.join('},{')}}]`;
}

function expressionOf(name: RegistrarColumn): SQL {
  if (name === 'statuses') return representedStatuses;
  const column = contacts[name];
  if (contactFields[name].blank !== null) return sql`ifnull(${column}, ${sql.raw("''")})`;
  return isJson(column) ? sql`json(${column})` : sql`${column}`;
}

function isJson(column: Column): boolean {
  return column.dataType === 'json';
}

/** `statusesOf` in SQL. */
const stored = sql`iif(json_array_length(${contacts.statuses}) = 0, '["ok"]', ${contacts.statuses})`;
const representedStatuses = sql`json(
  iif(${contacts.domainCount} > 0, json_insert(${stored}, '$[#]', 'linked'), ${stored}))`;
