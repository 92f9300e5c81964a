import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { RegistryError } from '../../base/error.ts';
import { displayName, unreadableFile } from '../report/problem.ts';
import { type Columns, type FileRow, findUnknownColumn } from './format.ts';

/**
 * The rows of a CSV file or of standard input, in order. It may have unknown columns if `onUnknown` takes their names.
 * Throws `malformed` if the rows can't be told apart, `not_found`.
 */
export async function* readRows(
  file: string,
  columns: Columns,
  onUnknown?: (column: string) => void,
): AsyncGenerator<FileRow> {
  try {
    yield* readCsv(file, columns, onUnknown);
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

/** The text of a file, whole lines at a time, without a byte order mark. */
async function* readLines(file: string): AsyncGenerator<string> {
  const chunks: AsyncIterable<Buffer> = file === '-' ? process.stdin : createReadStream(file);
  let line = 1;
  const textOf = (bytes: Buffer) => {
    const wrong = isUtf8(bytes) ? -1 : linesOf(bytes).findIndex((one) => !isUtf8(one));
    if (wrong >= 0) {
      throw unreadableFile(file, line + wrong, 'is not UTF-8; save the file as UTF-8');
    }
    const text = bytes.toString().replace(line === 1 ? /^\uFEFF/ : '', '');
    line += linesIn(text);
    return text;
  };
  let pending: Buffer[] = [];
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf('\n') + 1;
    pending.push(end > 0 ? chunk.subarray(0, end) : chunk);
    if (end === 0) continue;
    yield textOf(Buffer.concat(pending));
    pending = [chunk.subarray(end)];
  }
  const last = textOf(Buffer.concat(pending));
  if (last !== '') yield last;
}

/** The bytes of each line: in UTF-8, no other character has the byte of a line feed. */
function linesOf(bytes: Buffer): Buffer[] {
  const text = bytes.toString('latin1');
  return text.split('\n').map((one) => Buffer.from(one, 'latin1'));
}

const linesIn = (text: string) => text.split('\n').length - 1;

/** The rows of a CSV file with a header line, whatever separates its fields. */
async function* readCsv(
  file: string,
  columns: Columns,
  onUnknown?: (column: string) => void,
): AsyncGenerator<FileRow> {
  const lines = readLines(file);
  const { value: head = '' } = await lines.next();
  const delimiter = findSeparator(head);
  let lastLine = 0;
  const parser = parse({
    ...{ delimiter, info: true, skip_empty_lines: true, relax_column_count: true },
    // It stops a quote that is never closed.
    max_record_size: 128_000,
    // The iteration below does not see the rows before an error: the parser is ahead of it.
    on_record: (row, { lines }) => {
      lastLine = lines;
      return row;
    },
  });
  const text = async function* () {
    yield head;
    yield* lines;
  };
  let header: string[] | undefined;
  try {
    for await (const parsed of pipeline(text, parser, () => {})) {
      const { record: fields, info } = parsed as { record: string[]; info: { lines: number } };
      // A spreadsheet writes an empty row as separators, and may have had columns behind the last one.
      if (fields.length > 1 && fields.every((field) => field === '')) continue;
      const end = fields.findLastIndex((field) => field !== '') + 1;
      const record = fields.slice(0, Math.max(end, header?.length ?? 1));
      if (!header) {
        header = readHeader(file, record, columns, onUnknown);
        continue;
      }
      const line = info.lines - linesIn(fields.join(''));
      const values = Object.fromEntries(header.map((name, index) => [name, record[index] ?? '']));
      if (record.length === header.length) yield { line, values };
      else {
        const problem = `has ${record.length} fields, but the header has ${header.length}`;
        yield { line, values: { ...values, rejected_text: record.join(delimiter) }, problem };
      }
    }
  } catch (error) {
    // The error names the line where the parser gave up; for a quote that is never closed, that is the last one.
    if (error instanceof CsvError)
      throw unreadableFile(file, lastLine + 1, `is not CSV: ${error.message}`);
    throw error;
  }
  if (!header) throw unreadableFile(file, 1, 'is empty: a CSV file begins with a header line');
}

function findSeparator(head: string): string {
  const header = head.split('\n').find((line) => line.trim() !== '') ?? '';
  const count = (separator: string) => header.split(separator).length;
  return [',', ';', '\t'].reduce((best, next) => (count(next) > count(best) ? next : best));
}

function readHeader(
  file: string,
  texts: string[],
  columns: Columns,
  onUnknown?: (column: string) => void,
): string[] {
  const header = texts.map((text) => text.trim().toLowerCase());
  const known = Object.keys(columns);
  const refuse = (message: string) => unreadableFile(file, 1, message);
  for (const name of header) if (!known.includes(name)) onUnknown?.(name);
  const unknown = onUnknown ? undefined : findUnknownColumn(header, columns);
  if (unknown !== undefined) {
    const text = JSON.stringify(texts[header.indexOf(unknown)]);
    throw refuse(`there is no column ${text}; the header line may name: ${known.join(', ')}`);
  }
  const repeated = header.find((name, index) => header.indexOf(name) !== index);
  if (repeated !== undefined) throw refuse(`the header line names ${repeated} twice`);
  const missing = known.filter((name) => columns[name]!.isRequired && !header.includes(name));
  if (missing.length > 0) throw refuse(`the header line lacks the column ${missing.join(', ')}`);
  return header;
}
