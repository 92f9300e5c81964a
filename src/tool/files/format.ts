import path from 'node:path';
import { Option } from '@commander-js/extra-typings';
import { usageError } from '../command.ts';

const formats = ['csv', 'ndjson'] as const;
export type Format = (typeof formats)[number];

export const formatOption = () =>
  new Option('--format <format>', 'the format, if the name of the file does not say it').choices(
    formats,
  );

/** A row with the values in the file: text in CSV, any JSON value in NDJSON. */
export interface FileRow {
  /** Its first line, counted from 1. */
  line: number;
  values: Record<string, unknown>;
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

/** The chosen format, or the one of the file's extension; CSV for standard input. */
export function formatOf(file: string, chosen: Format | undefined): Format {
  if (chosen) return chosen;
  const extension = path.extname(file).toLowerCase();
  if (extension === '.csv' || file === '-') return 'csv';
  if (extension === '.ndjson' || extension === '.jsonl') return 'ndjson';
  const message = `${file} is not named .csv or .ndjson; give its format with --format`;
  throw usageError(message);
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
