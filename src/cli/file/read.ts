import { createReadStream } from 'node:fs';
import path from 'node:path';
import { type Duplex, pipeline } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import split2 from 'split2';
import { RegistryError } from '../../error.ts';
import { usageError } from '../command.ts';
import { displayName, unreadableFile } from './problem.ts';
import { checkedUtf8 } from './utf8.ts';

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
const maximumRowCharacters = 128_000;

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
  if (error instanceof CsvError) {
    const line = typeof error.lines === 'number' ? error.lines : 1;
    return unreadableFile(file, line, `is not CSV: ${error.message}`);
  }
  const { code } = error as NodeJS.ErrnoException;
  const reasons: Record<string, string> = {
    ENOENT: 'there is no such file',
    EISDIR: 'it is a directory',
    EACCES: 'no permission to read it',
  };
  if (code === undefined || !(code in reasons)) return error;
  return new RegistryError('not_found', `${displayName(file)} cannot be read: ${reasons[code]}`);
}

/** The file's checked bytes through the parser; the iteration throws every error on the way. */
function through(file: string, parser: Duplex): AsyncIterable<unknown> {
  const source = file === '-' ? process.stdin : createReadStream(file);
  const check = (chunks: AsyncIterable<Buffer>) => checkedUtf8(chunks, file);
  return pipeline(source, check, parser, () => {});
}

async function* readCsv(file: string, columns: Columns): AsyncGenerator<FileRow> {
  const parser = parse({
    info: true,
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: maximumRowCharacters,
  });
  let header: string[] | undefined;
  for await (const parsed of through(file, parser)) {
    const { record, info } = parsed as { record: string[]; info: { lines: number } };
    if (!header) {
      header = record.map((name) => name.trim());
      checkHeader(file, header, columns);
      continue;
    }
    const row: FileRow = {
      line: info.lines,
      values: Object.fromEntries(header.map((name, index) => [name, record[index] ?? ''])),
    };
    if (record.length !== header.length) {
      row.values.rejected_text = record.join(',');
      row.problem = `has ${record.length} fields, where the header names ${header.length}`;
    }
    yield row;
  }
  if (!header) throw unreadableFile(file, 1, 'is empty: a CSV file begins with a header line');
}

function checkHeader(file: string, header: string[], columns: Columns): void {
  const known = Object.keys(columns);
  const unknown = header.find((name) => !known.includes(name) && !rejectionColumns.includes(name));
  if (unknown !== undefined) {
    const message = `there is no column ${JSON.stringify(unknown)}; the header line names, separated by commas, some of: ${known.join(', ')}`;
    throw unreadableFile(file, 1, message);
  }
  const twice = header.find((name, index) => header.indexOf(name) !== index);
  if (twice !== undefined) throw unreadableFile(file, 1, `the column ${twice} is there twice`);
  const missing = known.filter((name) => columns[name]!.isRequired && !header.includes(name));
  if (missing.length > 0) {
    throw unreadableFile(file, 1, `the header line lacks the column ${missing.join(', ')}`);
  }
}

async function* readNdjson(file: string, columns: Columns): AsyncGenerator<FileRow> {
  const known = Object.keys(columns);
  let line = 0;
  for await (const text of through(file, split2({ maxLength: maximumRowCharacters }))) {
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
