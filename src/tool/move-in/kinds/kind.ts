import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { type HistorySubject, registrars } from '../../../../drizzle/schema.ts';
import type { Database } from '../../../base/database/open.ts';
import { parseDomainName } from '../../../name/domain/name.ts';
import { anyText, type ReadText, registrarCode } from './reader.ts';

/** A row as the files have it: by the name of the column, its canonical text, or null. Equal forms are equal rows. */
export type Form = Record<string, string | null>;

/** The elements of each list of a row, by the field of the list. */
export type Lists = Record<string, string[]>;

/** A column of a file, and where its value is in the database. */
export interface KindColumn {
  read: ReadText;
  /** Its canonical text, in a row of the database. */
  text: SQL;
  /** The name in the history and in the row for the noun. */
  field: string;
  /** The value to store, if that is not the text. */
  stored?: (text: string | null) => string;
  /** The value as the history records it, if that is not the text. */
  recorded?: (text: string) => unknown;
  /** The value is the key of a row of this kind; and why one is refused that nothing has. */
  refersTo?: { kind: string; ifMissing: string };
}

/** A file with one kind of row. */
export interface Kind {
  /** The name of its file is this with `.csv`. */
  name: string;
  /** By their names in the file, in its order. */
  columns: Readonly<Record<string, KindColumn>>;
  /** The columns that tell its rows apart; a file must have them. */
  key: readonly string[];
  /** Other columns that a file must have. */
  required?: readonly string[];
  /** Sets of columns that no two rows share, those with the values of `where`. */
  unique?: readonly { columns: readonly string[]; where?: Form; why?: string; named?: string }[];
  /** Where the rows are in the database, with a number for each. */
  from: SQL;
  place: SQL;
  /** Whether rows of a registrar that is gone may be given to another. */
  mayBeOrphan?: true;
  /** The column that tells rows apart which would have the same key, or which lack it, and its next value. */
  apart?: { column: string; next(form: Form): string };
  /** Values that a row gets here if the file gives none, beside its times. */
  missing?: Readonly<Record<string, (at: string) => string>>;
  /** The form without what cannot be stored together. Throws `invalid`. */
  check?(form: Form): Form;
  /** The values that today's rules refuse, with the reasons. */
  carried?(form: Form, now: Date): { column: string; why: string }[];
  /** The last day or instant of a row that is of no use after it. */
  end?: { column: string; isOver(text: string, now: Date): boolean };
  /** The form to store, or to compare with what is stored. */
  settle?(form: Form, stored: Form | null): Promise<Form>;
  /** Elements of lists in rows of another kind: the last column of the key may choose the list. */
  part?: { of: string; element: string; lists: readonly string[] };
  /** How rows are stored; those of a part are stored with their lists. */
  stored?: Stored;
}

interface Stored {
  subject: HistorySubject;
  /** The column with the key in the history, if that is not the first of the key. */
  subjectKey?: string;
  /** What the history calls it, if the rows are only parts of its subjects. */
  action?: 'update';
  /** Columns of the table that follow from the form. */
  derived?(form: Form): Record<string, string>;
  /** What the history records of the row, if that is not every field. */
  recorded?(fields: Record<string, unknown>): Record<string, unknown>;
  /** Inserts the rows of a query that has each as JSON in its column `row`, by the fields, with the lists. */
  insert(db: Database, rows: SQL, at: Date): BatchItem<'sqlite'>[];
}

/** The column of the table with this property, which is also the name in the history. */
export function columnOf(table: SQLiteTable, field: string, read: ReadText = anyText): KindColumn {
  const column = getTableColumns(table)[field]!;
  const texts: Record<string, SQL> = {
    json: sql`json(${column})`,
    number: sql`cast(${column} as text)`,
  };
  const text =
    texts[column.dataType] ?? (column.notNull ? sql`${column}` : sql`nullif(${column}, '')`);
  return { read, field, text, ...(column.dataType === 'json' && { recorded: JSON.parse }) };
}

/** Columns of the table by their names there, which files use too. */
export function tableColumns(table: SQLiteTable, readers: Readonly<Record<string, ReadText>>) {
  const fields = Object.entries(getTableColumns(table));
  const columns = Object.entries(readers).map(([name, read]): [string, KindColumn] => {
    const [field] = fields.find(([, column]) => column.name === name)!;
    return [name, columnOf(table, field, read)];
  });
  return Object.fromEntries(columns);
}

/** Where the rows of a table are, those that meet the condition. */
export function rowsOf(table: SQLiteTable, condition: SQL = sql`true`) {
  return { from: sql`${table} where ${condition}`, place: sql`${table}.rowid` };
}

/** The registrar that a row belongs to, by its code. */
export function registrarOf(
  registrarId: SQLiteColumn,
  ifMissing = 'there is no such registrar',
): KindColumn {
  return {
    read: registrarCode,
    field: 'registrar',
    text: sql`(select code from ${registrars} where id = ${registrarId})`,
    refersTo: { kind: 'registrars', ifMissing },
  };
}

/** The key of a form as one text; its order is that of the columns. */
export function keyOf({ key }: Pick<Kind, 'key'>, form: Form): string {
  // Only the first column may contain a space where there are several.
  return key.map((column) => form[column]).join(' ');
}

/** The sets of values of a form that no two rows share, each with its values as one text. */
export function uniqueValues({ unique = [] }: Kind, form: Form) {
  return unique.flatMap((one) => {
    const { columns, where = {} } = one;
    const isMeant =
      columns.every((column) => form[column]) &&
      Object.entries(where).every(([column, value]) => form[column] === value);
    const text = `${columns} ${columns.map((column) => form[column])}`;
    return isMeant ? [{ ...one, text }] : [];
  });
}

export const punycode = ({ name }: Form) => ({ punycode: parseDomainName(name!).punycode });
