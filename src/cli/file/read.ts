import { pipeline } from 'node:stream';
import split2 from 'split2';
import { RegistryError } from '../../error.ts';
import { displayName } from '../problem.ts';
import { readCsv } from './csv.ts';
import {
  type Columns,
  type FileRow,
  type Format,
  findUnknownColumn,
  maximumRowCharacters,
} from './format.ts';
import { openText } from './utf8.ts';

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
  let line = 0;
  for await (const text of pipeline(
    openText(file),
    split2({ maxLength: maximumRowCharacters }),
    () => {},
  )) {
    line += 1;
    if (String(text).trim() === '') continue;
    yield { line, ...parseLine(String(text), columns) };
  }
}

function parseLine(text: string, columns: Columns): Omit<FileRow, 'line'> {
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
  const unknown = findUnknownColumn(Object.keys(values), columns);
  if (unknown === undefined) return { values };
  const known = Object.keys(columns).join(', ');
  return { values, problem: `there is no field ${JSON.stringify(unknown)}; known are ${known}` };
}
