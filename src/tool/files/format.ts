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
  /** Its name in files of earlier releases. */
  formerName?: string;
}

export type Columns = Readonly<Record<string, Column>>;

/** All are required, unless `required` names some. */
export function columnsNamed(names: readonly string[], required = names): Columns {
  return Object.fromEntries(
    names.map((name) => [name, { note: '', isRequired: required.includes(name) }]),
  );
}

/** Additional columns of a file of rejected rows. Imports ignore them, so the file can be corrected and imported. */
export const rejectionColumns = 'rejected_line rejected_field rejected_reason rejected_text'.split(
  ' ',
);

/** Columns of exports that imports skip: each registry makes its own. */
export const ownColumns =
  'uuid id version creator creator_str updater updator_str created_at updated_at'.split(' ');

export function findUnknownColumn(
  names: readonly string[],
  columns: Columns,
  skipped: readonly string[] = [],
): string | undefined {
  const known = [...Object.keys(columns), ...rejectionColumns, ...ownColumns, ...skipped];
  return names.find((name) => !known.includes(name));
}
