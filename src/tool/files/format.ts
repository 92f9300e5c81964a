/** The text of each column that the header names. */
export type Values = Readonly<Record<string, string | undefined>>;

export interface FileRow {
  /** Its first line, counted from 1. */
  line: number;
  values: Values;
  problem?: string;
}

export interface Column {
  note: string;
  isRequired?: boolean;
}

export type Columns = Readonly<Record<string, Column>>;

/** The columns of a file that the help does not describe. They are all required, unless `required` names some. */
export function columnsNamed(names: readonly string[], required = names): Columns {
  return Object.fromEntries(
    names.map((name) => [name, { note: '', isRequired: required.includes(name) }]),
  );
}

/** The columns that a file of rejected rows adds. An import ignores them, so the file can be corrected and imported. */
export const rejectionColumns = 'rejected_line rejected_field rejected_reason rejected_text'.split(
  ' ',
);

/** Columns of exports that no import takes: a registry gives identifiers, versions, times and names itself. */
export const ownColumns =
  'uuid id version creator creator_str updater updator_str created_at updated_at'.split(' ');

export function findUnknownColumn(names: readonly string[], columns: Columns): string | undefined {
  const known = [...Object.keys(columns), ...rejectionColumns, ...ownColumns];
  return names.find((name) => !known.includes(name));
}
