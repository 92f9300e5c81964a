import { pipeline } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { unreadableFile } from '../report/problem.ts';
import { type Columns, type FileRow, findUnknownColumn, maximumRowCharacters } from './format.ts';
import { openText } from './utf8.ts';

/** The rows of a CSV file with a header line, whatever separates its fields. */
export async function* readCsv(
  file: string,
  columns: Columns,
  onUnknown?: (column: string) => void,
): AsyncGenerator<FileRow> {
  const lines = openText(file);
  const { value: head = '' } = await lines.next();
  const { delimiter, from_line } = findSeparator(head, columns);
  let lastLine = from_line - 1;
  const parser = parse({
    delimiter,
    from_line,
    info: true,
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: maximumRowCharacters,
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
      // A spreadsheet may have had columns behind the last one.
      const end = fields.findLastIndex((field) => field !== '') + 1;
      const record = fields.slice(0, Math.max(end, header?.length ?? 1));
      // A spreadsheet writes an empty row as separators.
      if (fields.length > 1 && fields.every((field) => field === '')) continue;
      if (!header) {
        header = readHeader(file, record, columns, onUnknown);
        continue;
      }
      const row: FileRow = {
        line: info.lines - (fields.join('').split('\n').length - 1),
        values: Object.fromEntries(header.map((name, index) => [name, record[index] ?? ''])),
      };
      if (record.length !== header.length) {
        row.values.rejected_text = record.join(delimiter);
        row.problem = `has ${record.length} fields, but the header has ${header.length}`;
      }
      yield row;
    }
  } catch (error) {
    // The error names the line where the parser gave up; for a quote that is never closed, that is the last one.
    if (error instanceof CsvError)
      throw unreadableFile(file, lastLine + 1, `is not CSV: ${error.message}`);
    throw error;
  }
  if (!header) throw unreadableFile(file, 1, 'is empty: a CSV file begins with a header line');
}

/** The separator of the fields, from a first line `sep=;`, or else from the header; and the line of the header. */
function findSeparator(text: string, columns: Columns) {
  const [, separator] = /^sep=(.)\r?\n/i.exec(text) ?? [];
  if (separator) return { delimiter: separator, from_line: 2 };
  const header = text.split('\n').find((line) => line.trim() !== '') ?? '';
  const known = (separator: string) =>
    header.split(separator).filter((name) => Object.hasOwn(columns, columnName(name))).length;
  const delimiter = [',', ';', '\t'].reduce((best, next) =>
    known(next) > known(best) ? next : best,
  );
  return { delimiter, from_line: 1 };
}

/** A name in the header, in either case and with or without quotes. */
function columnName(text: string): string {
  return text
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .toLowerCase();
}

function readHeader(
  file: string,
  texts: string[],
  columns: Columns,
  onUnknown?: (column: string) => void,
): string[] {
  const header = texts.map(columnName);
  const known = Object.keys(columns);
  if (onUnknown) for (const name of header) if (!known.includes(name)) onUnknown(name);
  const unknown = onUnknown ? undefined : findUnknownColumn(header, columns);
  if (unknown !== undefined) {
    const text = JSON.stringify(texts[header.indexOf(unknown)]);
    const message = `there is no column ${text}; the header line may name: ${known.join(', ')}`;
    throw unreadableFile(file, 1, message);
  }
  const repeated = header.find((name, index) => header.indexOf(name) !== index);
  if (repeated !== undefined) {
    throw unreadableFile(file, 1, `the header line names ${repeated} twice`);
  }
  const missing = known.filter((name) => columns[name]!.isRequired && !header.includes(name));
  if (missing.length > 0) {
    throw unreadableFile(file, 1, `the header line lacks the column ${missing.join(', ')}`);
  }
  return header;
}
