import path from 'node:path';
import { pipeline } from 'node:stream';
import split2 from 'split2';
import { RegistryError } from '../../error.ts';
import { usageError } from '../command.ts';
import { readCsv } from './csv.ts';
import { openText } from './open.ts';
import { displayName } from './problem.ts';

export const formats = ['csv', 'ndjson'] as const;
export type Format = (typeof formats)[number];

/** A row with the values in the file: text in CSV, any JSON value in NDJSON. */
export interface FileRow {
  line: number;
  values: Record<string, unknown>;
  /** Why it can't be read as a row. */
  problem?: string;
}

/** A column of a kind of file. */
export interface Column {
  /** What the help says about its values. */
  note: string;
  /** Whether every row needs a value. */
  isRequired: boolean;
}

export type Columns = Readonly<Record<string, Column>>;

/** The chosen format, or the one of the file's extension; CSV for standard input. */
export function formatOf(file: string, chosen: Format | undefined): Format {
  if (chosen) return chosen;
  const extension = path.extname(file).toLowerCase();
  if (extension === '.csv' || file === '-') return 'csv';
  if (extension === '.ndjson' || extension === '.jsonl') return 'ndjson';
  const message = `${file} is not named .csv or .ndjson; give its format with --format`;
  throw usageError(message);
}

/** The columns that a file of rejected rows adds. They are ignored by an import, so that it can be corrected and imported. */
export const rejectionColumns = [
  'rejected_line',
  'rejected_field',
  'rejected_reason',
  'rejected_text',
];

/** The limit of a row and of a line. It stops a quote that is never closed. */
export const maximumRowCharacters = 128_000;

/** The rows of a file in order. Throws `malformed` if they can't be told apart, `not_found`. */
export async function* readRows(
  file: string,
  format: Format,
  columns: Columns,
): AsyncGenerator<FileRow> {
  try {
    yield* format === 'csv' ? readCsv(file, columns) : readNdjson(file, columns);
  } catch (error) {
    throw readingError(file, error);
  }
}

function readingError(file: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const reasons: Record<string, string> = {
    ENOENT: 'there is no such file',
    EISDIR: 'it is a directory',
    EACCES: 'no permission to read it',
  };
  if (code === undefined || !(code in reasons)) return error;
  return new RegistryError('not_found', `${displayName(file)} cannot be read: ${reasons[code]}`);
}

async function* readNdjson(file: string, columns: Columns): AsyncGenerator<FileRow> {
  const known = Object.keys(columns);
  let line = 0;
  for await (const text of pipeline(
    openText(file),
    split2({ maxLength: maximumRowCharacters }),
    () => {},
  )) {
    line += 1;
    if (String(text).trim() === '') continue;
    yield { line, ...parseLine(String(text), known) };
  }
}

function parseLine(text: string, known: readonly string[]): Omit<FileRow, 'line'> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { values: { rejected_text: text }, problem: 'is not JSON' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { values: { rejected_text: text }, problem: 'is not a JSON object' };
  }
  const values = value as Record<string, unknown>;
  const unknown = Object.keys(values).find(
    (name) => !known.includes(name) && !rejectionColumns.includes(name),
  );
  if (unknown === undefined) return { values };
  const message = `there is no field ${JSON.stringify(unknown)}; known are ${known.join(', ')}`;
  return { values, problem: message };
}
