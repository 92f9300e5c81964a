import path from 'node:path';
import {
  type Problem,
  type RecordProblem,
  RegistryError,
  throwProblems,
} from '../../base/error.ts';
import { isBlank } from '../../base/text/field.ts';
import type { ListName } from '../../list/lists.ts';
import type { CommonOptions } from '../command.ts';
import type { Registry } from '../registry.ts';
import { displayName, type FileProblem, unreadableFile } from '../report/problem.ts';
import { inChunks, type Rows } from '../report/progress.ts';
import { counted } from '../report/text.ts';
import { type Report, run } from '../run.ts';
import { type Columns, type Format, formatOf, ownColumns, rejectionColumns } from './format.ts';
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

/**
 * The number of rows with each outcome; `unchanged` rows were there already, those that are `over` are left out, and of
 * those with a `used` password, that is.
 */
type Counts<Outcome extends string> = Record<Outcome | 'unchanged', number> & {
  over?: number;
  used?: number;
};

/** An import of one kind of thing: how its rows are read, judged and written. */
export interface Import<Row, Outcome extends string> {
  columns: Columns;
  /** Throws RegistryError with everything that is wrong. */
  read(values: Record<string, unknown>): Row;
  /** Values that may appear only once in a file, as messages show them. */
  keys(row: Row): string[];
  /** The problems of a chunk of rows that only the registry can find. */
  findProblems(registry: Registry, rows: readonly Row[]): Promise<readonly RecordProblem<Row>[]>;
  /** Writes the valid rows, usually by `writeInChunks`, and counts the outcomes; a dry run only counts. */
  write(registry: Registry, rows: Rows<Row>): Promise<Counts<Outcome>>;
  text(counts: Counts<Outcome>, registry: Registry): string;
  /** The public lists that the rows may change. */
  publish?: readonly ListName[];
}

/** A place in a file, with the values as the file has them. */
interface Place {
  line: number;
  values: Record<string, unknown>;
}

type RejectedRow = Place & { problems: FileProblem[] };

/** The rows of a file, and those that can't be imported. */
interface ReadFile<Row> {
  file: string;
  format: Format;
  rows: Spool<Place & { row: Row }>;
  /** The columns with values that no import takes. */
  skipped: Set<string>;
  rejected: RejectedRow[];
}

/**
 * Imports a file once all its rows are known to be valid; with --skip-invalid, the valid ones. Moving in has an engine of
 * its own (`../registry-files`): it compares a whole registry, and carries values that an import refuses.
 */
export function runImport<Row, Outcome extends string>(
  file: string,
  options: ImportOptions & CommonOptions,
  kind: Import<Row, Outcome>,
): Promise<void> {
  return run(
    options,
    (registry, read) => importRows(registry, read, options, kind),
    () => readImport(file, options, kind),
  );
}

/** Reads the whole file before anything is written. The second of two rows with the same key is rejected. */
export async function readImport<Row>(
  file: string,
  options: Pick<ImportOptions, 'format' | 'replace'>,
  { columns, read, keys }: Pick<Import<Row, never>, 'columns' | 'read' | 'keys'>,
): Promise<ReadFile<Row>> {
  const format = formatOf(file, options.format);
  const skipped = new Set<string>();
  const result: ReadFile<Row> = { file, format, rows: new Spool(), skipped, rejected: [] };
  using lines = new Spool<number>();
  for await (const { line, values, problem } of readRows(file, format, columns)) {
    try {
      if (problem !== undefined) throw new RegistryError('malformed', problem);
      for (const [name, value] of Object.entries(values)) {
        const isOwn = ownColumns.includes(name) && !Object.hasOwn(columns, name);
        if (isOwn && !isBlank(value)) skipped.add(name);
      }
      const row = read(values);
      const own = keys(row);
      const repeated = own.find((key) => lines.get(key) !== undefined);
      if (repeated !== undefined) {
        const message = `${repeated} is already in line ${lines.get(repeated)}`;
        throw new RegistryError('taken', message);
      }
      result.rows.set(line, { line, values, row });
      for (const key of own) lines.set(key, line);
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      reject(result, { line, values }, error.problems);
    }
  }
  // In CSV the header says that the file is whole.
  if (options.replace && format === 'ndjson' && result.rows.length + result.rejected.length === 0) {
    throw unreadableFile(file, 1, 'is empty; with --replace, that would remove everything');
  }
  return result;
}

function reject<Row>(
  { file, rows, rejected }: ReadFile<Row>,
  { line, values }: Place,
  problems: readonly Problem[],
): void {
  const where = { file: displayName(file), line };
  rows.delete(line);
  rejected.push({
    line,
    values,
    problems: problems.map((problem) => ({ ...problem, ...where })),
  });
}

/** Imports the rows of a file that was read. Throws the problems of all rows that the registry refuses. */
export async function importRows<Row, Outcome extends string>(
  registry: Registry,
  read: ReadFile<Row>,
  options: ImportOptions,
  kind: Import<Row, Outcome>,
): Promise<Report> {
  using placed = read.rows;
  for (const chunk of inChunks('checking', placed)) {
    const rows = chunk.map(({ row }) => row);
    const problems = await kind.findProblems(registry, rows);
    const ofRow = Map.groupBy(problems, ({ record }) => record);
    for (const place of chunk) {
      const own = ofRow.get(place.row)?.map(({ record: _, ...problem }) => problem);
      if (own) reject(read, place, own);
    }
  }
  const rejectedFile = await settleRejected(read, options);
  const rows: Rows<Row> = {
    length: placed.length,
    *chunks(size) {
      for (const chunk of placed.chunks(size)) yield chunk.map(({ row }) => row);
    },
  };
  const counts = await kind.write(registry, rows);
  const { unchanged: _, over: __, used: ___, ...outcomes } = counts;
  const isChange = Object.values<number>(outcomes).some((count) => count > 0);
  const rejected = read.rejected.length;
  const skipped = [...read.skipped];
  const text = [
    kind.text(counts, registry),
    ...(skipped.length > 0 ? [`skipped the columns ${skipped.join(', ')}`] : []),
    ...(rejectedFile ? [`${counted(rejected, 'row')} rejected, see ${rejectedFile}`] : []),
  ];
  return {
    data: {
      read: rows.length + rejected,
      ...counts,
      rejected,
      rejected_file: rejectedFile ?? null,
      ...(skipped.length > 0 && { skipped_columns: skipped }),
      changed: isChange && !registry.isDryRun,
    },
    text: text.join('; '),
    ...(kind.publish && { publish: kind.publish }),
  };
}

/**
 * With --skip-invalid, saves the rejected rows (not in a dry run) and returns the file that holds them; undefined if
 * there are none. The file may be there from an import that was interrupted; one with other rows is being corrected,
 * or is the input itself, and is refused. Otherwise throws all their problems in the order of the lines.
 */
async function settleRejected(
  { file, format, rejected }: ReadFile<unknown>,
  options: ImportOptions,
): Promise<string | undefined> {
  rejected.sort((one, other) => one.line - other.line);
  if (rejected.length === 0) return undefined;
  if (!options.skipInvalid) throwProblems(rejected.flatMap(({ problems }) => problems));
  const { dir, name, ext } = path.parse(file);
  const beside = path.join(dir, `${name}.rejected${ext === '' ? `.${format}` : ext}`);
  const target = options.rejected ?? (file === '-' ? `rejected.${format}` : beside);
  const names = rejected.flatMap(({ values }) => Object.keys(values));
  const own = names.filter((name) => !rejectionColumns.includes(name));
  const columns = [...new Set(own), ...rejectionColumns];
  const rows = rejected.map(({ line, values, problems }) => ({
    ...values,
    rejected_line: line,
    rejected_field: problems.map(({ field }) => field ?? '').join('; '),
    rejected_reason: problems.map(({ message }) => message).join('; '),
  }));
  if (!options.dryRun) await writeFileRows(target, format, rows, { columns, isNew: true });
  return target;
}

/** Writes the rows chunk by chunk, each chunk whole or not at all, and adds the outcomes to the counts of none. */
export async function writeInChunks<Row, Name extends string>(
  label: string,
  rows: Rows<Row>,
  none: Record<Name, number>,
  write: (chunk: Row[]) => Promise<Record<Name, number>>,
): Promise<Record<Name, number>> {
  const total = { ...none };
  for (const chunk of inChunks(label, rows)) {
    const counts = await write(chunk);
    for (const name of Object.keys(none) as Name[]) total[name] += counts[name];
  }
  return total;
}
