import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { type HistorySubject, registrars } from '../../drizzle/schema.ts';
import type { Database } from '../database/open.ts';
import { parseDomainName } from '../domain/name.ts';
import { anyText, type ReadText, registrarCode } from './reader.ts';

/** A row as the files have it: by the name of the column, its canonical text, or null. Equal forms are equal rows. */
export type Form = Record<string, string | null>;

/** A column of a file, and where its value is in the database. */
export interface KindColumn {
  read: ReadText;
  /** Its canonical text, in a row of the kind's table. */
  text: SQL;
  /** The name in the history and in the row for the noun, and of the table's column unless that is an id. */
  field: string;
  /** The table's column; undefined for what is kept in another table. */
  column?: SQLiteColumn | undefined;
  /** The value to store, if that is not the text. */
  stored?: (text: string | null) => string;
  /** The value as the history records it, if that is not the text. */
  recorded?: (text: string) => unknown;
  /** The value is the key of a row of another kind, and what one of those is called. */
  refersTo?: { name: string; one: string };
  /** Neither the report nor the terminal shows it. */
  isSecret?: true;
}

/** A file whose rows are elements of a list in the rows of a kind. */
export interface Part {
  file: string;
  /** The key of a row of the kind, the element, and where there are several lists, which of them. */
  columns: Record<string, ReadText>;
  /** The columns of the form that it fills: the lists. */
  fills: readonly string[];
  /** The kind that elements are keys of. */
  refersTo?: string;
  /** The column that takes one element only. */
  single?: string;
  /** The meaning of no element, if the report says so; and the element instead while a row of the file is refused. */
  ifEmpty?: { meaning: string; whenInDoubt: string };
}

/** One kind of thing that moves in. */
export interface Kind {
  /** The name of its file is this with `.csv`. */
  name: string;
  subject: HistorySubject;
  table: SQLiteTable;
  /** By their names in the file, in its order. */
  columns: Readonly<Record<string, KindColumn>>;
  /** The columns that tell its rows apart; a file must have them. */
  key: readonly string[];
  /** The column with the key of the history, if that is not the first of the key. */
  subjectKey?: string;
  /** What the history calls every change, if the rows are only parts of its subjects. */
  action?: 'update';
  /** Other columns that a file must have. */
  required?: readonly string[];
  /** Columns whose value an update cannot change. */
  fixed?: readonly string[];
  /** Sets of columns that no two rows share, those with the values of `where`. */
  unique?: readonly { columns: readonly string[]; where?: Form }[];
  /** Another condition under which something stands in the way of the form in `to` of `row.value`. */
  obstacle?: SQL;
  /** Columns of the table that have the same value in all rows of the kind. */
  constants?: Readonly<Record<string, string | null>>;
  /** Whether rows of a registrar that is gone may be given to another. */
  mayBeOrphan?: true;
  part?: Part;
  /** Values of a new row that the file does not give, beside its times. */
  missing?(now: Date): Form;
  /** Checks what only several values show. Throws `invalid`. */
  check?(form: Form): void;
  /** The form to compare with what is here, where that depends on it. */
  settle?(form: Form, here: Form | null): Promise<Form>;
  /** The column that tells rows apart which would have the same key, or which lack it, and its next value. */
  apart?: { column: string; next(form: Form): string };
  /** Why a row that is not here is not added. */
  unfit?(form: Form, now: Date): { column: string; why: string } | undefined;
  /** The values that today's rules refuse, with the reasons. */
  carried?(form: Form, now: Date): { column: string; why: string }[];
  /** Columns of the table that follow from the form. */
  derived?: Readonly<Record<string, (form: Form) => string>>;
  /** Inserts the rows of a query, which has each as JSON in its column `row`, by the fields of the columns. */
  insert(db: Database, rows: SQL, now: Date): BatchItem<'sqlite'>;
  /** The statements after an addition or update, in the same batch. `row.value` of `written` has the form in `to`. */
  following?(db: Database, written: SQL): BatchItem<'sqlite'>[];
  /** Of a kind whose rows can be replaced, JSON of what goes along and follows. `row.value` has it in `links`. */
  links?: SQL;
  /** A row that refers to the one of the table, which then stays: `domain õun.ee`; or null. */
  heldBy?: SQL;
  /** Whether `entry` of the history is about the row with the form in `row.value`, if rows share a key there. */
  isAbout?: SQL;
  /** The deletions before those of the rows of the table that meet the condition. */
  goingAlong?(db: Database, isGoing: SQL): BatchItem<'sqlite'>[];
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
  return { read, field, column, text, ...(column.dataType === 'json' && { recorded: JSON.parse }) };
}

/** The registrar that a row belongs to, by its code. */
export function registrarOf(registrarId: SQLiteColumn): KindColumn {
  return {
    read: (text) => registrarCode(text, () => {}),
    field: 'registrar',
    column: registrarId,
    text: sql`(select code from ${registrars} where id = ${registrarId})`,
    refersTo: { name: 'registrars', one: 'registrar' },
  };
}

/** The key of a form as one text; its order is that of the columns. */
export function keyOf({ key }: Pick<Kind, 'key'>, form: Form): string {
  // Only the first column may contain a space where there are several.
  return key.map((column) => form[column]).join(' ');
}

/** The values of a form that no two rows share, each as one text. */
export function uniqueValues({ unique = [] }: Kind, form: Form) {
  return unique.flatMap(({ columns, where = {} }) => {
    const isMeant =
      columns.every((column) => form[column]) &&
      Object.entries(where).every(([column, value]) => form[column] === value);
    const text = `${columns} ${columns.map((column) => form[column])}`;
    return isMeant ? [{ columns, where, text }] : [];
  });
}

/** The key of the form, the list and the element of a row of a part's file, as far as it gives them. */
export function placeIn({ columns, fills }: Part, row: Form) {
  const [key, element, list] = Object.keys(columns) as [string, string, string?];
  const column = list === undefined ? fills[0]! : row[list];
  return { key: row[key] ?? null, column: column ?? null, element: row[element] ?? null };
}

/** The rows of a part's file that stand for a form. */
export function partRows({ columns, fills }: Part, kind: Pick<Kind, 'key'>, form: Form): Form[] {
  const names = Object.keys(columns);
  return fills.flatMap((list) =>
    elementsOf(form, list).map((element) => {
      const values = [keyOf(kind, form), element, list];
      return Object.fromEntries(names.map((name, index) => [name, values[index]!]));
    }),
  );
}

/** The elements of a list in a form. */
export function elementsOf(form: Form, column: string): string[] {
  return JSON.parse(form[column] ?? '[]');
}

/** Why the calendar keeps a row away: nobody could use it, and the cron may have removed it. */
export const isOver = 'is over';

export const punycode = { punycode: ({ name }: Form) => parseDomainName(name!).punycode };
