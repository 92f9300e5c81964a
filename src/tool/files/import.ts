import path from 'node:path';
import { retry } from '../../base/database/retry.ts';
import { orRefusal, type Problem, type RecordProblem, RegistryError } from '../../base/error.ts';
import { isBlank } from '../../base/text/field.ts';
import type { ListName } from '../../list/lists.ts';
import { countText } from '../../view/text.ts';
import type { CommonOptions } from '../command.ts';
import type { Registry } from '../registry.ts';
import { Batches } from '../report/batches.ts';
import { displayName, type FileProblem, RejectedRowsError } from '../report/problem.ts';
import { inChunks } from '../report/progress.ts';
import { attempt, type Report, run } from '../run.ts';
import { type Columns, type FileRow, ownColumns, rejectionColumns, type Values } from './format.ts';
import { readRows } from './read.ts';
import { writeFileRows } from './write.ts';

interface ImportOptions {
  skipInvalid?: true;
  rejected?: string;
  dryRun?: boolean;
}

/**
 * `unchanged` rows existed already, `over` rows have ended and are skipped, and `used` passwords
 * are left out. `foreign` rows have contacts of another registrar. `obstacles` are sentences about names that were written in spite of them.
 */
type Counts<Outcome extends string> = Record<Outcome | 'unchanged', number> & {
  over?: number;
  used?: number;
  foreign?: number;
  obstacles?: readonly string[];
};

export interface Import<Row, Outcome extends string> {
  columns: Columns;
  /** Columns of a list with --csv, of which the import skips those that it does not use. */
  listed?: readonly string[];
  /** Throws RegistryError with all problems. */
  read(values: Values): Row;
  /** A value that is unique in the file, as shown in messages. */
  key(row: Row): string;
  /** Finds the problems of a chunk of rows in the registry. */
  findProblems(registry: Registry, rows: readonly Row[]): Promise<readonly RecordProblem<Row>[]>;
  /** Writes the valid rows and counts the outcomes. A dry run only counts. */
  write(registry: Registry, rows: readonly Row[]): Promise<Counts<Outcome>>;
  text(counts: Counts<Outcome>, registry: Registry): string;
  publish?: readonly ListName[];
  /** Takes no --skip-invalid. */
  isWhole?: boolean;
}

interface Line<Row> extends FileRow {
  row: Row | undefined;
  problems: readonly Problem[];
}

type ReadFile<Row> = Awaited<ReturnType<typeof readImport<Row>>>;

/**
 * Judges all rows, then writes them in batches. Refuses a file with faulty rows, without --skip-invalid, before it
 * writes any, and a file that cannot be read before it opens a registry. If a later batch fails or the command is
 * interrupted, the first rows are written.
 */
export async function runImport<Row, Outcome extends string>(
  file: string,
  options: ImportOptions & CommonOptions,
  kind: Import<Row, Outcome>,
): Promise<void> {
  const read = await attempt(options, () => readImport(file, kind));
  if (read) await run(options, (registry) => importRows(registry, read, options, kind));
}

/** Rejects the second of two rows with the same key. */
export async function readImport<Row>(
  file: string,
  {
    columns,
    listed = [],
    read,
    key,
  }: Pick<Import<Row, never>, 'columns' | 'listed' | 'read' | 'key'>,
) {
  const given = await Array.fromAsync(readRows(file, columns, { skipped: listed }));
  const firstLines = new Map<string, number>();
  const lines = given.map(({ problem, ...fileRow }): Line<Row> => {
    const row = orRefusal(() => {
      if (problem !== undefined) throw new RegistryError('malformed', problem);
      const row = read(fileRow.values);
      const own = key(row);
      if (firstLines.has(own)) {
        throw new RegistryError('taken', `${own} is already in line ${firstLines.get(own)}`);
      }
      firstLines.set(own, fileRow.line);
      return row;
    });
    if (row instanceof RegistryError) return { ...fileRow, row: undefined, problems: row.problems };
    return { ...fileRow, row, problems: [] };
  });
  const isGiven = (name: string) => given.some(({ values }) => !isBlank(values[name]));
  const skippable = new Set([...ownColumns, ...listed]);
  const skipped = [...skippable].filter((name) => !Object.hasOwn(columns, name) && isGiven(name));
  return { file, lines, skipped };
}

/** Throws the problems of all refused rows. */
export async function importRows<Row, Outcome extends string>(
  registry: Registry,
  read: ReadFile<Row>,
  options: ImportOptions,
  kind: Import<Row, Outcome>,
): Promise<Report> {
  const { lines, skipped } = read;
  if (!registry.isDryRun) registry.batches = new Batches('row', kind.publish !== undefined);
  const isValid = ({ problems }: Line<Row>) => problems.length === 0;
  const rowOf = ({ row }: Line<Row>) => row as Row;
  for (const chunk of inChunks('checking', lines.filter(isValid))) {
    const found = await retry(() => kind.findProblems(registry, chunk.map(rowOf)));
    const problemsOf = Map.groupBy(found, ({ record }) => record);
    for (const line of chunk) {
      line.problems = (problemsOf.get(rowOf(line)) ?? []).map(({ record: _, ...one }) => one);
    }
  }
  const rejected = lines.filter((line) => !isValid(line));
  const rows = lines.filter(isValid).map(rowOf);
  const rejectedFile = await settleRejected(
    read.file,
    rejected,
    options,
    kind.isWhole ? 0 : rows.length,
  );
  const counts = await kind.write(registry, rows);
  const { unchanged: _, over: __, used: ___, foreign: ____, obstacles = [], ...outcomes } = counts;
  const isChange = Object.values<number>(outcomes).some((count) => count > 0);
  const text = [
    kind.text(counts, registry),
    ...(skipped.length > 0 ? [`skipped the columns ${skipped.join(', ')}`] : []),
    ...(rejectedFile ? [`${countText(rejected.length, 'row')} rejected, see ${rejectedFile}`] : []),
  ];
  return {
    data: {
      read: rows.length + rejected.length,
      ...counts,
      rejected: rejected.length,
      rejected_file: rejectedFile ?? null,
      ...(skipped.length > 0 && { skipped_columns: skipped }),
      changed: isChange,
    },
    text: [text.join('; '), ...obstacles.map((sentence) => `although ${sentence}`)],
    ...(kind.publish && { publish: kind.publish }),
  };
}

/**
 * With --skip-invalid, saves the rejected rows (not in a dry run). Undefined if there are none.
 * Refuses to replace a file with other rows. Otherwise throws all problems in the order of the
 * lines.
 */
async function settleRejected(
  file: string,
  rejected: readonly Line<unknown>[],
  options: ImportOptions,
  others: number,
): Promise<string | undefined> {
  if (rejected.length === 0) return undefined;
  if (!options.skipInvalid) {
    const problemsOf = ({ line, problems }: Line<unknown>): FileProblem[] =>
      problems.map((problem) => ({ ...problem, file: displayName(file), line }));
    const problems = rejected.flatMap(problemsOf) as [FileProblem, ...FileProblem[]];
    throw new RejectedRowsError(problems, others);
  }
  const { dir, name, ext } = path.parse(file);
  const besideFile = path.join(dir, `${name}.rejected${ext || '.csv'}`);
  const target = options.rejected ?? (file === '-' ? 'rejected.csv' : besideFile);
  const names = rejected.flatMap(({ values }) => Object.keys(values));
  const givenColumns = names.filter((name) => !rejectionColumns.includes(name));
  const columns = [...new Set(givenColumns), ...rejectionColumns];
  const rows = rejected.map(({ line, values, problems }) => ({
    ...values,
    rejected_line: line,
    rejected_field: problems.map(({ field }) => field ?? '').join('; '),
    rejected_reason: problems.map(({ message }) => message).join('; '),
  }));
  if (!options.dryRun) await writeFileRows(target, rows, { columns, isNew: true });
  return target;
}

/** Writes each chunk completely or not at all, and adds up the outcomes. In a dry run, `write` itself only counts. */
export async function writeInChunks<Row, Name extends string>(
  { batches }: Pick<Registry, 'batches'>,
  { label, rows, size }: { label: string; rows: readonly Row[]; size?: number },
  none: Record<Name, number>,
  write: (chunk: Row[]) => Promise<Record<Name, number>>,
): Promise<Record<Name, number>> {
  const total = { ...none };
  for (const chunk of inChunks(label, rows, size)) {
    const changesIn = ({ unchanged = 0 }: { unchanged?: number }) => chunk.length - unchanged;
    const counts = batches
      ? await batches.write(chunk.length, () => write(chunk), changesIn)
      : await write(chunk);
    for (const name of Object.keys(none) as Name[]) total[name] += counts[name];
  }
  return total;
}
