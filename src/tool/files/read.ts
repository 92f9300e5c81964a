import { isUtf8 } from 'node:buffer';
import { accessSync, constants, createReadStream, statSync } from 'node:fs';
import { pipeline } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { RegistryError } from '../../base/error.ts';
import { isBlank, spoiledBy } from '../../base/text/field.ts';
import { displayName, unreadableFile } from '../report/problem.ts';
import { type Columns, type FileRow, findUnknownColumn } from './format.ts';

interface Reading {
  /** Accepts unknown columns, which are refused otherwise. */
  onUnknown?: (column: string) => void;
  /** Other columns that are known. */
  skipped?: readonly string[] | undefined;
  /** Keeps values as they are. Otherwise they are trimmed and NFC. */
  isVerbatim?: boolean;
}

/** Throws `malformed` for a file that is no CSV with these columns, and `not_found`. */
export async function* readRows(
  file: string,
  columns: Columns,
  reading: Reading = {},
): AsyncGenerator<FileRow> {
  try {
    yield* readCsv(file, columns, reading);
  } catch (error) {
    throw readError(file, error);
  }
}

/** Returns `not_found` with the reason, where the user can mend the error. */
export function readError(file: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const reasons: Record<string, string> = {
    ENOENT: 'there is no such file',
    EISDIR: 'it is a directory',
    EACCES: 'no permission to read it',
  };
  if (code === undefined || !(code in reasons)) return error;
  return new RegistryError('not_found', `${displayName(file)} cannot be read: ${reasons[code]}`);
}

/** Throws `not_found` with the reason. */
export function requireReadable(file: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw readError(file, error);
  }
  if (statSync(file).isDirectory()) throw readError(file, { code: 'EISDIR' });
}

const lineEnds = ['\r\n', '\n', '\r'];
const lineEnd = /\r\n|[\n\r]/;

/** Reads whole lines, without a byte order mark. */
async function* readLines(file: string): AsyncGenerator<string> {
  const chunks: AsyncIterable<Buffer> = file === '-' ? process.stdin : createReadStream(file);
  let line = 1;
  const textOf = (bytes: Buffer) => {
    if (line === 1) refuseUtf16(file, bytes);
    const wrong = isUtf8(bytes) ? -1 : linesOf(bytes).findIndex((one) => !isUtf8(one));
    if (wrong >= 0) {
      const message =
        'is not UTF-8, but perhaps Windows-1252 or ISO 8859-1; save the file as UTF-8';
      throw unreadableFile(file, line + wrong, message);
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

/** UTF-16 has a mark or a null byte among the first bytes. */
function refuseUtf16(file: string, bytes: Buffer): void {
  const [first, second] = bytes;
  const hasMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (!hasMark && !bytes.subarray(0, 4).includes(0)) return;
  throw unreadableFile(file, 1, 'is UTF-16, not UTF-8; save the file as UTF-8');
}

/** In UTF-8, no other character contains the byte of a line end. */
function linesOf(bytes: Buffer): Buffer[] {
  const text = bytes.toString('latin1');
  return text.split(lineEnd).map((one) => Buffer.from(one, 'latin1'));
}

const linesIn = (text: string) => text.split(lineEnd).length - 1;

interface CsvRecord {
  fields: string[];
  /** The first line of the record, counted from 1. */
  line: number;
}

/** Accepts any separator and line ends. Skips blank records. */
async function* readRecords(
  file: string,
  { isVerbatim = false }: Reading,
): AsyncGenerator<CsvRecord & { delimiter: string }> {
  const lines = readLines(file);
  const { value: head = '' } = await lines.next();
  const delimiter = findSeparator(head);
  // The parser counts a quoted CRLF as two lines.
  let [lastLine, surplus] = [0, 0];
  const parser = parse({
    ...{ delimiter, record_delimiter: lineEnds, trim: !isVerbatim },
    ...{ skip_empty_lines: true, relax_column_count: true },
    // Ends an unclosed quote.
    max_record_size: 128_000,
    // Collects rows here: the parser is ahead of the iteration below, which misses the rows before an error.
    on_record: (fields, { lines }) => {
      const text = fields.join(' ');
      surplus += text.split('\r\n').length - 1;
      lastLine = lines - surplus;
      const record: CsvRecord = { fields, line: lastLine - linesIn(text) };
      return record as never;
    },
  });
  const text = async function* () {
    yield head;
    yield* lines;
  };
  try {
    for await (const record of pipeline(text, parser, () => {})) {
      const { fields, line } = record as CsvRecord;
      // Spreadsheets write an empty row as separators.
      const isBlank = fields.every((field) => field === '');
      const isHint = line === 1 && separatorHint.test(fields.join(delimiter));
      if (!isBlank && !isHint) yield { fields, line, delimiter };
    }
  } catch (error) {
    // The error names the line where parsing ended: for an unclosed quote, the last line.
    if (error instanceof CsvError)
      throw unreadableFile(file, lastLine + 1, `is not CSV: ${error.message}`);
    throw error;
  }
}

async function* readCsv(file: string, columns: Columns, reading: Reading): AsyncGenerator<FileRow> {
  let header: string[] | undefined;
  for await (const { fields, line, delimiter } of readRecords(file, reading)) {
    // A spreadsheet may add empty columns at the end.
    const end = fields.findLastIndex((field) => field !== '') + 1;
    const record = fields.slice(0, Math.max(end, header?.length ?? 1));
    if (!header) {
      header = readHeader(file, line, { texts: record, columns, ...reading });
      continue;
    }
    const textOf = (field = '') => (reading.isVerbatim ? field : field.trim().normalize('NFC'));
    const values = Object.fromEntries(header.map((name, index) => [name, textOf(record[index])]));
    if (record.length === header.length) {
      const problem = reading.isVerbatim
        ? undefined
        : (rejectedBefore(values) ?? spoiledValue(values, columns));
      yield { line, values, problem };
    } else {
      const problem = `has ${record.length} fields, but the header has ${header.length}`;
      // Nobody knows which field is which.
      const blank = Object.fromEntries(header.map((name) => [name, '']));
      const rejected_text = record.map((field) => quoted(field, delimiter)).join(delimiter);
      yield { line, values: { ...blank, rejected_text }, problem };
    }
  }
  if (!header) throw unreadableFile(file, 1, 'is empty: a CSV file begins with a header line');
}

function quoted(field: string, delimiter: string): string {
  const needsQuotes = field.includes(delimiter) || /["\n\r]/.test(field);
  return needsQuotes ? `"${field.replaceAll('"', '""')}"` : field;
}

/** A row that was rejected for the number of its fields stays so until somebody has put them into the columns. */
function rejectedBefore({ rejected_text: text }: FileRow['values']): string | undefined {
  if (isBlank(text)) return undefined;
  return 'has a rejected_text: put its fields into the columns, and empty it';
}

/** Excel's first line with the separator. */
const separatorHint = /^"?sep=([,;\t])"?$/i;

function spoiledValue(values: FileRow['values'], columns: Columns): string | undefined {
  const texts = Object.keys(columns).map((name) => [name, String(values[name] ?? '')] as const);
  const [name, text] = texts.find(([, text]) => spoiledBy(text)) ?? [];
  if (name === undefined) return undefined;
  return `${name} ${JSON.stringify(text)} was spoiled by a spreadsheet; make its column text there, and enter it again`;
}

function findSeparator(head: string): string {
  const lines = head.split(lineEnd);
  const [, hint] = separatorHint.exec(lines[0]!) ?? [];
  if (hint !== undefined) return hint;
  const header = lines.find((line) => line.trim() !== '') ?? '';
  const count = (separator: string) => header.split(separator).length;
  return [',', ';', '\t'].reduce((best, next) => (count(next) > count(best) ? next : best));
}

function readHeader(
  file: string,
  line: number,
  { texts, columns, onUnknown, skipped }: Reading & { texts: string[]; columns: Columns },
): string[] {
  const known = Object.keys(columns);
  const columnOf = (name: string) => known.find((one) => columns[one]!.formerName === name) ?? name;
  const header = texts.map((text) => columnOf(text.trim().toLowerCase()));
  const refuse = (message: string) => unreadableFile(file, line, message);
  for (const name of header) if (!known.includes(name)) onUnknown?.(name);
  const unknown = onUnknown ? undefined : findUnknownColumn(header, columns, skipped);
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
