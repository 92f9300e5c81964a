import { RegistryError } from '../../error.ts';
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
    for (const text of String(lines).replace(/\n$/, '').split('\n')) {
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
  const repeated = findRepeatedKey(text);
  if (repeated !== undefined) {
    return { values: { rejected_text: text }, problem: `has ${JSON.stringify(repeated)} twice` };
  }
  const values = value as Record<string, unknown>;
  const unknown = findUnknownColumn(Object.keys(values), columns);
  if (unknown === undefined) return { values };
  const known = Object.keys(columns).join(', ');
  return { values, problem: `there is no field ${JSON.stringify(unknown)}; known are ${known}` };
}

/** A key that is twice in one of the objects of a JSON text; the parser keeps the last value of such a key. */
function findRepeatedKey(text: string): string | undefined {
  const open: Set<string>[] = [];
  for (const [token, string, colon] of text.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?|[{}]/g)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (colon) {
      const key = JSON.parse(string!) as string;
      if (open.at(-1)!.has(key)) return key;
      open.at(-1)!.add(key);
    }
  }
  return undefined;
}
