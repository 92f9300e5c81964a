import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { type HistorySubject, registrars } from '../../../../drizzle/schema.ts';
import { insertRows, valuesInJson } from '../../../base/database/insert-rows.ts';
import type { Database } from '../../../base/database/open.ts';
import { parseDomainName } from '../../../name/domain/operator/name.ts';
import { registrarIdOf } from '../../../party/registrar/account.ts';
import { type ReadText, registrarCode } from './reader.ts';

/** A row of a file: canonical texts or nulls by column. Equal forms are equal rows. */
export type Form = Record<string, string | null>;

/** The keys of a part's rows by list, such as a domain's contacts. */
export type PartLists = Record<string, string[]>;

interface KindColumn {
  read: ReadText;
  /** Undefined counts as absent. */
  empty: string | null | undefined;
  /** The canonical text of the database's value. */
  text: SQL;
  /** The field's name in the history, and in the row for the noun. */
  field: string;
  /** The value in the history, if it is not the text. */
  recorded?: (text: string) => unknown;
  /** The value is the key of a row of this kind. `ifMissing` refuses an unknown key. */
  refersTo?: { kind: string; ifMissing: string };
}

/** A file with one kind of row, and how its rows are stored. */
export interface Kind {
  /** The file's name without `.csv`. */
  name: string;
  columns: Readonly<Record<string, KindColumn>>;
  /** The columns of the key, and other mandatory columns. */
  key: readonly string[];
  required?: readonly string[];
  /** The rows in the database, with a number for each. */
  from: SQL;
  number: SQL;
  /** Unique values by column. */
  unique?(form: Form): Form;
  /** The refusal of a value that an earlier row has. */
  ifTaken?: string;
  /** Rows of an unknown registrar may go to another one. */
  mayFallBack?: true;
  /** For rows that may lack `created_at` and have no other key. */
  nextTime?(form: Form): string;
  defaults?: Readonly<Record<string, (at: string) => string>>;
  /** Drops values that cannot be stored together, and notes values that today's rules refuse. Throws `invalid`. */
  check?(
    form: Form,
    note: (column: string, done: 'carried' | 'changed', why: string) => void,
  ): Form;
  /** The form to store, or to compare with the stored one. */
  settle?(form: Form, stored: Form | undefined): Promise<Form>;
  /** These rows are lists in rows of another kind: the key's second column, in the list named by its last column. */
  part?: { of: string; lists: readonly string[] };
  /** The subject of its entries in the history. Parts have none. */
  subject?: HistorySubject;
  /** The column with the history's key, if it is not the first of `key`. */
  subjectKey?: string;
  /** The history's action, if a row is only a part of its subject. */
  action?: 'update';
  /** Columns of the table, derived from the form. */
  derived?(form: Form): Record<string, string>;
  /** The fields in the history, if not all. */
  recorded?(fields: Record<string, unknown>): Record<string, unknown>;
  /** Inserts the rows of a query with a JSON column `row`: fields, and lists of parts. */
  insert?(db: Database, rows: SQL, at: Date): BatchItem<'sqlite'>[];
}

/** The table's column for a field of Drizzle and the history. */
export function columnOf(
  table: SQLiteTable,
  field: string,
  read: ReadText = (text) => text,
): KindColumn {
  const column = getTableColumns(table)[field]!;
  if (column.dataType === 'json') {
    const empty = column.notNull ? JSON.stringify(column.default) : null;
    return { read, empty, field, text: sql`json(${column})`, recorded: JSON.parse };
  }
  if (column.dataType === 'number') {
    return { read, empty: undefined, field, text: sql`cast(${column} as text)` };
  }
  return column.notNull
    ? { read, empty: '', field, text: sql`${column}` }
    : { read, empty: null, field, text: sql`nullif(${column}, '')` };
}

interface TableRows extends Omit<Kind, 'columns' | 'from' | 'number'> {
  columns: Readonly<Record<string, ReadText | KindColumn | undefined>>;
  /** Selects rows of the table. Default: all. */
  condition?: SQL;
  /** Values that the row for the noun lacks. */
  values?: Record<string, SQL>;
}

export function kindOf(
  table: SQLiteTable,
  { columns: given, condition = sql`true`, values, ...more }: TableRows,
): Kind {
  const own = getTableColumns(table);
  const columns = Object.entries(given).map(([name, one]): [string, KindColumn] => {
    if (typeof one === 'object') return [name, one];
    const [field] = Object.entries(own).find(([, column]) => column.name === name)!;
    return [name, columnOf(table, field, one)];
  });
  const registrarId = registrarIdOf(sql`row ->> 'registrar'`);
  const all = { ...valuesInJson(table), ...('registrarId' in own && { registrarId }), ...values };
  return {
    from: sql`${table} where ${condition}`,
    number: sql`${table}.rowid`,
    ...('punycode' in own && { derived: punycode }),
    // Gives rows without an id an unused one.
    insert: (db, rows) => [
      insertRows(db, table, all, sql`from (${rows}) order by row ->> 'id' is null`),
    ],
    ...more,
    columns: Object.fromEntries(columns),
  };
}

export function reference(
  kind: string,
  {
    ifMissing = `there is no such row in ${kind}`,
    ...column
  }: Pick<KindColumn, 'read' | 'field' | 'text'> & { ifMissing?: string },
): KindColumn {
  return { ...column, empty: null, refersTo: { kind, ifMissing } };
}

export function registrarOf(registrarId: SQLiteColumn): KindColumn {
  return reference('registrars', {
    ...{ read: registrarCode, field: 'registrar', ifMissing: 'there is no such registrar' },
    text: sql`(select code from ${registrars} where id = ${registrarId})`,
  });
}

/** Sorting by the text sorts by the columns. */
export function formKey({ key }: Pick<Kind, 'key'>, form: Form): string {
  // Only the first of several columns may contain a space.
  return key.map((column) => form[column]).join(' ');
}

const punycode = ({ name }: Form) => ({ punycode: parseDomainName(name!).punycode });
