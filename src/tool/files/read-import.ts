import path from 'node:path';
import {
  type Problem,
  type RecordProblem,
  RegistryError,
  throwProblems,
} from '../../base/error.ts';
import { isBlank } from '../../base/text/field.ts';
import { displayName, type FileProblem, unreadableFile } from '../report/problem.ts';
import { type Columns, type Format, formatOf, skippedColumns } from './format.ts';
import { readRows } from './read.ts';
import { Spool } from './spool.ts';
import { writeFileRows } from './write.ts';

export interface ImportOptions {
  format?: Format;
  skipInvalid?: true;
  rejected?: string;
  dryRun?: boolean;
  /** Also removes what the file does not name. */
  replace?: true;
}

export interface RowReader<Row> {
  columns: Columns;
  /** Throws RegistryError with everything that is wrong. */
  read(values: Record<string, unknown>): Row;
  /** Values that may appear only once in a file, as messages show them. */
  keys(row: Row): string[];
}

/** A place in a file, with the values as the file has them. */
interface Place {
  line: number;
  values: Record<string, unknown>;
}

type PlacedRow<Row> = Place & { row: Row };

/** The rows of a file, and those that can't be imported. */
export interface ReadFile<Row = unknown> {
  file: string;
  format: Format;
  columns: Columns;
  rows: Spool<PlacedRow<Row>>;
  /** The columns with values that no import takes. */
  skipped: Set<string>;
  rejected: (Place & { problems: FileProblem[] })[];
}

/** Reads the whole file before anything is written. The second of two rows with the same key is rejected. */
export async function readImport<Row>(
  file: string,
  options: Pick<ImportOptions, 'format' | 'replace'>,
  { columns, read, keys }: RowReader<Row>,
): Promise<ReadFile<Row>> {
  const format = formatOf(file, options.format);
  const rows = new Spool<PlacedRow<Row>>();
  using lines = new Spool<number>();
  const skipped = new Set<string>();
  const result: ReadFile<Row> = { file, format, columns, rows, skipped, rejected: [] };
  for await (const { line, values, problem } of readRows(file, format, columns)) {
    try {
      if (problem !== undefined) throw new RegistryError('malformed', problem);
      for (const name of skippedColumns(Object.keys(values), columns)) {
        if (!isBlank(values[name])) skipped.add(name);
      }
      const row = read(values);
      const own = keys(row);
      const repeated = own.find((key) => lines.get(key) !== undefined);
      if (repeated !== undefined) {
        const message = `${repeated} is already in line ${lines.get(repeated)}`;
        throw new RegistryError('taken', message);
      }
      rows.set(line, { line, values, row });
      for (const key of own) lines.set(key, line);
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      reject(result, { line, values }, error.problems);
    }
  }
  // In CSV the header says that the file is whole.
  if (options.replace && format === 'ndjson' && rows.length + result.rejected.length === 0) {
    throw unreadableFile(file, 1, 'is empty; with --replace, that would remove everything');
  }
  return result;
}

/** Rejects the rows of a chunk with problems that only the registry can find. */
export function rejectRows<Row>(
  read: ReadFile<Row>,
  chunk: readonly PlacedRow<Row>[],
  problems: readonly RecordProblem<Row>[],
): void {
  const ofRow = Map.groupBy(problems, ({ record }) => record);
  for (const placed of chunk) {
    const own = ofRow.get(placed.row)?.map(({ record: _, ...problem }) => problem);
    if (!own) continue;
    const { row: _, ...place } = placed;
    read.rows.delete(placed.line);
    reject(read, place, own);
  }
}

function reject({ file, rejected }: ReadFile, place: Place, problems: readonly Problem[]): void {
  const where = { file: displayName(file), line: place.line };
  rejected.push({ ...place, problems: problems.map((problem) => ({ ...problem, ...where })) });
}

/**
 * With --skip-invalid, saves the rejected rows (not in a dry run) and returns the file that holds them; undefined if
 * there are none. The file may be there from an import that was interrupted; one with other rows is being corrected,
 * or is the input itself, and is refused. Otherwise throws all their problems in the order of the lines.
 */
export async function settleRejected(
  read: ReadFile,
  { skipInvalid, rejected, dryRun }: ImportOptions,
): Promise<string | undefined> {
  read.rejected.sort((one, other) => one.line - other.line);
  if (read.rejected.length === 0) return undefined;
  if (!skipInvalid) throwProblems(read.rejected.flatMap(({ problems }) => problems));
  const rejectedFile = rejected ?? defaultRejectedFile(read);
  if (!dryRun) {
    await writeFileRows(rejectedFile, read.format, rejectedRows(read), { isNew: true });
  }
  return rejectedFile;
}

function defaultRejectedFile({ file, format }: ReadFile): string {
  if (file === '-') return `rejected.${format}`;
  const { dir, name, ext } = path.parse(file);
  return path.join(dir, `${name}.rejected${ext === '' ? `.${format}` : ext}`);
}

function* rejectedRows({ columns, format, rejected }: ReadFile) {
  const present = Object.keys(columns).filter((name) =>
    rejected.some(({ values }) => name in values),
  );
  for (const { line, values, problems } of rejected) {
    // In CSV each row has every column of the first.
    const row = format === 'csv' ? Object.fromEntries(present.map((name) => [name, ''])) : {};
    yield {
      ...row,
      ...values,
      rejected_line: line,
      rejected_field: problems.map(({ field }) => field ?? '').join('; '),
      rejected_reason: problems.map(({ message }) => message).join('; '),
      ...(format === 'csv' && { rejected_text: values.rejected_text ?? '' }),
    };
  }
}
