import { RegistryError } from '../../base/error.ts';
import { displayName, unreadableFile } from '../report/problem.ts';
import { readCsv } from './csv.ts';
import {
  type Columns,
  type FileRow,
  type Format,
  findUnknownColumn,
  maximumRowCharacters,
} from './format.ts';
import { openText } from './utf8.ts';

/**
 * The rows of a file in order. A CSV file may have unknown columns if `onUnknown` takes their names. Throws `malformed` if
 * the rows can't be told apart, `not_found`.
 */
export async function* readRows(
  file: string,
  format: Format,
  columns: Columns,
  onUnknown?: (column: string) => void,
): AsyncGenerator<FileRow> {
  try {
    yield* format === 'csv' ? readCsv(file, columns, onUnknown) : readNdjson(file, columns);
  } catch (error) {
    throw readingError(file, error);
  }
}

/** What is thrown when a file that was named can't be read: `not_found` with the reason, or the error itself. */
export function readingError(file: string, error: unknown): unknown {
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
  for await (const lines of openText(file)) {
    // The text after the last line's end is nothing, or the last line of the file.
    for (const text of lines.replace(/\n$/, '').split('\n')) {
      line += 1;
      if (text.length > maximumRowCharacters) {
        throw unreadableFile(file, line, `has over ${maximumRowCharacters} characters`);
      }
      if (text.trim() !== '') yield { line, ...parseLine(text, columns) };
    }
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
