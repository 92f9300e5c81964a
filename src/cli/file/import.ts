import type { RecordProblem } from '../../error.ts';
import type { ListName } from '../../public-list/lists.ts';
import type { CommonOptions } from '../command.ts';
import { inChunks } from '../progress.ts';
import type { Registry } from '../registry.ts';
import { type Report, run } from '../run.ts';
import { counted } from '../text.ts';
import type { ImportOptions } from './importing.ts';
import {
  type ReadFile,
  type RowReader,
  readImport,
  rejectRows,
  settleRejected,
} from './read-import.ts';

/** The number of rows with each outcome; `unchanged` rows were there already. */
type Counts<Outcome extends string> = Record<Outcome | 'unchanged', number>;

/** An import of one kind of thing: how its rows are read, judged and written. */
export interface Import<Row, Outcome extends string> extends RowReader<Row> {
  /** The problems of a chunk of rows that only the registry can find. */
  findProblems(registry: Registry, rows: readonly Row[]): Promise<readonly RecordProblem<Row>[]>;
  /** Writes the valid rows, usually by `writeInChunks`, and counts the outcomes; a dry run only counts. */
  write(registry: Registry, rows: readonly Row[]): Promise<Counts<Outcome>>;
  text(counts: Counts<Outcome>, registry: Registry): string;
  /** More of the answer with --json. */
  extra?: Record<string, unknown>;
  /** The public lists that the rows may change. */
  publish?: readonly ListName[];
}

/** Imports a file once all its rows are known to be valid; with --skip-invalid, the valid ones. */
export function runImport<Row, Outcome extends string>(
  file: string,
  options: ImportOptions & CommonOptions,
  kind: Import<Row, Outcome>,
): Promise<void> {
  return run(
    options,
    () => readImport(file, options, kind),
    (registry, read) => importRead(registry, read, options, kind),
  );
}

/** Imports the rows of a file that was read. Throws the problems of all rows that the registry refuses. */
export async function importRead<Row, Outcome extends string>(
  registry: Registry,
  read: ReadFile<Row>,
  options: ImportOptions,
  kind: Import<Row, Outcome>,
): Promise<Report> {
  for (const chunk of inChunks('checking', read.rows)) {
    const rows = chunk.map(({ row }) => row);
    rejectRows(read, await kind.findProblems(registry, rows));
  }
  const rejectedFile = await settleRejected(read, options);
  const rows = read.rows.map(({ row }) => row);
  const counts = await kind.write(registry, rows);
  const rejected = read.rejected.length;
  const isChange = Object.entries<number>(counts).some(
    ([outcome, count]) => outcome !== 'unchanged' && count > 0,
  );
  const rejectedText =
    rejectedFile && `; ${counted(rejected, 'row')} rejected, see ${rejectedFile}`;
  return {
    data: {
      read: rows.length + rejected,
      ...counts,
      ...kind.extra,
      rejected,
      rejected_file: rejectedFile ?? null,
      changed: isChange && !registry.isDryRun,
    },
    text: `${kind.text(counts, registry)}${rejectedText ?? ''}`,
    ...(kind.publish && { publish: kind.publish }),
  };
}

/** Writes the rows chunk by chunk, each chunk whole or not at all, and adds the outcomes to the counts of none. */
export async function writeInChunks<Row, Name extends string>(
  label: string,
  rows: readonly Row[],
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
