import path from 'node:path';
import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { type Problem, RegistryError } from '../../error.ts';
import { writing } from '../command.ts';
import { counted } from '../text.ts';
import { displayName, type FileProblem } from './problem.ts';
import { type Columns, type Format, formatOf, formats, readRows } from './read.ts';
import { writeFileRows } from './write.ts';

/** How the rows of one kind of file are read. */
export interface RowReader<Row> {
  columns: Columns;
  /** Throws RegistryError with everything that is wrong. */
  read(values: Record<string, unknown>): Row;
  /** What stands in a file once each, in the words of a message. */
  keys(row: Row): string[];
}

export interface ImportOptions {
  format?: Format;
  skipInvalid?: true;
  rejected?: string;
  dryRun?: true;
}

/** The rows of a file, and those that can't be imported. */
export interface ReadFile<Row> {
  file: string;
  format: Format;
  columns: Columns;
  rows: { line: number; values: Record<string, unknown>; row: Row }[];
  rejected: { values: Record<string, unknown>; problems: FileProblem[] }[];
}

/** A verb that imports a file. */
export function importing(summary: string, columns: Columns, ...examples: string[]) {
  return writing('import', summary, ...examples)
    .addHelpText(
      'after',
      `
The file is UTF-8: CSV with a header line (.csv), or NDJSON, an object a line (.ndjson, .jsonl).
What is empty, or null in NDJSON, counts as not given.
${columnsText(columns)}`,
    )
    .argument('<file>', 'the file, or - for standard input', (given) => {
      if (given === '') throw new InvalidArgumentError('it names no file');
      return given;
    })
    .addOption(
      new Option('--format <format>', 'what the file is, where its name does not tell').choices(
        formats,
      ),
    )
    .option('--skip-invalid', 'import the good rows, and save the bad ones with their reasons')
    .option('--rejected <file>', 'where to save the bad rows; FILE.rejected.csv unless given');
}

const noteWidth = 76;

function columnsText(columns: Columns): string {
  const width = Math.max(...Object.keys(columns).map((name) => name.length));
  const wrapped = (note: string) =>
    (note.match(new RegExp(`\\S.{0,${noteWidth - 1}}(?= |$)`, 'g')) ?? []).join(
      `\n${' '.repeat(width + 4)}`,
    );
  const lines = (isRequired: boolean) =>
    Object.entries(columns)
      .filter(([, column]) => column.isRequired === isRequired)
      .map(([name, { note }]) => `\n  ${name.padEnd(width)}  ${wrapped(note)}`);
  const optional = lines(false);
  return [
    '\nRequired columns:',
    ...lines(true),
    ...(optional.length > 0 ? ['\n\nOptional columns:', ...optional] : []),
  ].join('');
}

/** Reads the whole file, before anything is written. A row that is there twice is rejected the second time. */
export async function readImport<Row>(
  file: string,
  options: ImportOptions,
  reader: RowReader<Row>,
): Promise<ReadFile<Row>> {
  const { columns } = reader;
  const format = formatOf(file, options.format);
  const result: ReadFile<Row> = { file, format, columns, rows: [], rejected: [] };
  const lineOfKey = new Map<string, number>();
  for await (const { line, values, problem } of readRows(file, format, columns)) {
    try {
      if (problem !== undefined) throw new RegistryError('malformed', problem);
      const row = reader.read(values);
      const keys = reader.keys(row);
      const twice = keys.find((key) => lineOfKey.has(key));
      if (twice !== undefined) {
        throw new RegistryError('taken', `${twice} is in line ${lineOfKey.get(twice)} already`);
      }
      for (const key of keys) lineOfKey.set(key, line);
      result.rows.push({ line, values, row });
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      rejectRow(result, line, values, error.problems);
    }
  }
  return result;
}

/** Rejects the rows that have these problems: what only the registry itself can tell. */
export function rejectRows<Row>(
  read: ReadFile<Row>,
  problems: readonly (Problem & { record: Row })[],
): void {
  if (problems.length === 0) return;
  const ofRow = new Map<Row, Problem[]>();
  for (const { record, ...problem } of problems) {
    ofRow.set(record, [...(ofRow.get(record) ?? []), problem]);
  }
  read.rows = read.rows.filter(({ line, values, row }) => {
    const own = ofRow.get(row);
    if (own) rejectRow(read, line, values, own);
    return !own;
  });
}

function rejectRow(
  { file, rejected }: Pick<ReadFile<unknown>, 'file' | 'rejected'>,
  line: number,
  values: Record<string, unknown>,
  problems: readonly Problem[],
): void {
  const place = { file: displayName(file), line };
  rejected.push({ values, problems: problems.map((problem) => ({ ...problem, ...place })) });
}

/**
 * Goes on only with a file without rejected rows, or with --skip-invalid, and then saves the rejected ones (not in a
 * dry run). Returns the file that they are in. Throws all their problems otherwise, in the order of the lines.
 */
export async function settleRejected(
  read: ReadFile<unknown>,
  options: ImportOptions,
): Promise<string | undefined> {
  read.rejected.sort((one, other) => lineOf(one) - lineOf(other));
  const [first, ...others] = read.rejected.flatMap(({ problems }) => problems);
  if (!first) return undefined;
  if (!options.skipInvalid) throw new RegistryError([first, ...others]);
  const rejectedFile = options.rejected ?? defaultRejectedFile(read);
  if (!options.dryRun) await writeFileRows(rejectedFile, read.format, rejectedRows(read));
  return rejectedFile;
}

function lineOf({ problems }: ReadFile<unknown>['rejected'][number]): number {
  return problems[0]?.line ?? 0;
}

function defaultRejectedFile({ file, format }: ReadFile<unknown>): string {
  if (file === '-') return `rejected.${format}`;
  const { dir, name, ext } = path.parse(file);
  return path.join(dir, `${name}.rejected${ext === '' ? `.${format}` : ext}`);
}

function* rejectedRows({ columns, format, rejected }: ReadFile<unknown>) {
  const given = Object.keys(columns).filter((name) =>
    rejected.some(({ values }) => name in values),
  );
  for (const { values, problems } of rejected) {
    // In CSV each row has every column of the first.
    const row = format === 'csv' ? Object.fromEntries(given.map((name) => [name, ''])) : {};
    yield {
      ...row,
      ...values,
      rejected_line: problems[0]?.line,
      rejected_field: problems.map(({ field }) => field ?? '').join('; '),
      rejected_reason: problems.map(({ message }) => message).join('; '),
      ...(format === 'csv' && { rejected_text: values.rejected_text ?? '' }),
    };
  }
}

/** Reads a file whose rows need nothing of the registry to be judged. */
export async function readSettled<Row>(
  file: string,
  options: ImportOptions,
  reader: RowReader<Row>,
): Promise<{ read: ReadFile<Row>; rejectedFile: string | undefined }> {
  const read = await readImport(file, options, reader);
  return { read, rejectedFile: await settleRejected(read, options) };
}

/** How a report's line tells of the rejected rows. */
export function rejectedText(rejected: number, rejectedFile: string | undefined): string {
  return rejectedFile === undefined
    ? ''
    : `; ${counted(rejected, 'row')} rejected, see ${rejectedFile}`;
}
