import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { type HistorySubject, registrars } from '../../../../drizzle/schema.ts';
import { insertRows, valuesInJson } from '../../../base/database/insert-rows.ts';
import type { Database } from '../../../base/database/open.ts';
import { parseDomainName } from '../../../name/domain/operator/name.ts';
import { registrarIdOf } from '../../../party/registrar/account.ts';
import { type ReadText, registrarCode } from './reader.ts';

/** A row as the files have it: by the name of the column, its canonical text, or null. Equal forms are equal rows. */
export type Form = Record<string, string | null>;

/** The rows of a part, such as the contacts of a domain: their keys, by list. */
export type PartLists = Record<string, string[]>;

export interface KindColumn {
  read: ReadText;
  /** What an empty field means; undefined counts as not given. */
  empty: string | null | undefined;
  /** Its canonical text, in a row of the database. */
  text: SQL;
  /** The name in the history and in the row for the noun. */
  field: string;
  /** The value as the history records it, if that is not the text. */
  recorded?: (text: string) => unknown;
  /** The value is the key of a row of this kind; and why one is refused that nothing has. */
  refersTo?: { kind: string; ifMissing: string };
}

/** A file with one kind of row, and how its rows are stored. */
export interface Kind {
  /** The name of its file is this with `.csv`. */
  name: string;
  /** By their names in the file, in its order. */
  columns: Readonly<Record<string, KindColumn>>;
  /** The columns that tell its rows apart, and others that a file must have. */
  key: readonly string[];
  required?: readonly string[];
  /** Where the rows are in the database, with a number for each. */
  from: SQL;
  number: SQL;
  /** Values that no other row has, by column. */
  unique?(form: Form): Form;
  /** Why a row is refused whose value an earlier one has. */
  ifTaken?: string;
  /** Whether rows of a registrar that is gone may be given to another. */
  mayBeOrphan?: true;
  /** The next `created_at`, for rows that only it tells apart; they may lack it. */
  nextTime?(form: Form): string;
  /** Values that a row gets here if the file gives none, beside its times. */
  defaults?: Readonly<Record<string, (at: string) => string>>;
  /** The form without what cannot be stored together; notes what today's rules refuse. Throws `invalid`. */
  check?(form: Form, note: (column: string, done: 'carried', why: string) => void): Form;
  /** The form to store, or to compare with what is stored. */
  settle?(form: Form, stored: Form | undefined): Promise<Form>;
  /** Rows of another kind have its rows in lists: the second column of the key in the list that the last one names. */
  part?: { of: string; lists: readonly string[] };
  /** The kind of its entries in the history; rows of a part have none. */
  subject?: HistorySubject;
  /** The column with the key in the history, if that is not the first of the key. */
  subjectKey?: string;
  /** What the history calls it, if the rows are only parts of its subjects. */
  action?: 'update';
  /** Columns of the table that follow from the form. */
  derived?(form: Form): Record<string, string>;
  /** What the history records of the row, if that is not every field. */
  recorded?(fields: Record<string, unknown>): Record<string, unknown>;
  /** Inserts the rows of a query whose column `row` has each as JSON: its fields, and its lists of parts. */
  insert?(db: Database, rows: SQL, at: Date): BatchItem<'sqlite'>[];
}

/** The column of the table that Drizzle and the history call by the name of the field. */
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
  /** The reader of each column, by the name in the table that files use too, or the whole column. */
  columns: Readonly<Record<string, ReadText | KindColumn | undefined>>;
  /** Which rows of the table; by default, all. */
  condition?: SQL;
  /** Values that the row for the noun does not have by their names. */
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
    // Those without an id get one that no other has.
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

/** The key of a form as one text; its order is that of the columns. */
export function keyOf({ key }: Pick<Kind, 'key'>, form: Form): string {
  // Only the first column may contain a space where there are several.
  return key.map((column) => form[column]).join(' ');
}

const punycode = ({ name }: Form) => ({ punycode: parseDomainName(name!).punycode });
