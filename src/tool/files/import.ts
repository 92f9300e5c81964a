import { Help, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import type { RecordProblem } from '../../base/error.ts';
import type { ListName } from '../../list/lists.ts';
import { type CommonOptions, writing } from '../command.ts';
import type { Registry } from '../registry.ts';
import { noteCommandProgress } from '../report/command-progress.ts';
import { inChunks, type Rows } from '../report/progress.ts';
import { counted } from '../report/text.ts';
import { type Report, run } from '../run.ts';
import { type Columns, formatOption } from './format.ts';
import {
  type ImportOptions,
  type ReadFile,
  type RowReader,
  readImport,
  rejectRows,
  settleRejected,
} from './read-import.ts';

/** The number of rows with each outcome; `unchanged` rows were there already, and those that are `over` are left out. */
type Counts<Outcome extends string> = Record<Outcome | 'unchanged', number> & { over?: number };

/** An import of one kind of thing: how its rows are read, judged and written. */
export interface Import<Row, Outcome extends string> extends RowReader<Row> {
  /** The problems of a chunk of rows that only the registry can find. */
  findProblems(registry: Registry, rows: readonly Row[]): Promise<readonly RecordProblem<Row>[]>;
  /** Writes the valid rows, usually by `writeInChunks`, and counts the outcomes; a dry run only counts. */
  write(registry: Registry, rows: Rows<Row>): Promise<Counts<Outcome>>;
  text(counts: Counts<Outcome>, registry: Registry): string;
  /** The public lists that the rows may change. */
  publish?: readonly ListName[];
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
    () => readImport(file, options, kind),
    (registry, read) => importRows(registry, read, options, kind),
  );
}

/** Imports the rows of a file that was read. Throws the problems of all rows that the registry refuses. */
export async function importRows<Row, Outcome extends string>(
  registry: Registry,
  read: ReadFile<Row>,
  options: ImportOptions,
  kind: Import<Row, Outcome>,
): Promise<Report> {
  noteCommandProgress({ isChanged: 'no' });
  for (const chunk of inChunks('checking', read.rows)) {
    const rows = chunk.map(({ row }) => row);
    rejectRows(read, chunk, await kind.findProblems(registry, rows));
  }
  const rejectedFile = await settleRejected(read, options);
  using placed = read.rows;
  const rows: Rows<Row> = {
    length: placed.length,
    *chunks(size) {
      for (const chunk of placed.chunks(size)) yield chunk.map(({ row }) => row);
    },
  };
  if (!registry.isDryRun) noteCommandProgress({ isChanged: 'perhaps', lists: kind.publish ?? [] });
  const counts = await kind.write(registry, rows);
  const rejected = read.rejected.length;
  const isChange = Object.entries<number>(counts).some(
    ([outcome, count]) => outcome !== 'unchanged' && outcome !== 'over' && count > 0,
  );
  const rejectedText =
    rejectedFile && `; ${counted(rejected, 'row')} rejected, see ${rejectedFile}`;
  const skipped = [...read.skipped];
  const skippedText = skipped.length > 0 ? `; skipped the columns ${skipped.join(', ')}` : '';
  return {
    data: {
      read: rows.length + rejected,
      ...counts,
      rejected,
      rejected_file: rejectedFile ?? null,
      ...(skipped.length > 0 && { skipped_columns: skipped }),
      changed: isChange && !registry.isDryRun,
    },
    text: `${kind.text(counts, registry)}${skippedText}${rejectedText ?? ''}`,
    ...(kind.publish && { publish: kind.publish }),
  };
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

/** The command `import` for a file with these columns. */
export function importing(columns: Columns, ...examples: string[]) {
  return writing('import', ...examples)
    .addHelpText('after', filesText(columns))
    .argument('<file>', fileNote, parseFileName)
    .addOption(formatOption())
    .option('--skip-invalid', 'import the valid rows, and save the others with their reasons')
    .option('--rejected <file>', 'where to save them (default: FILE.rejected.csv)');
}

export const fileNote = 'the file, or - for standard input';

export function parseFileName(file: string): string {
  if (file === '') throw new InvalidArgumentError('The name is empty.');
  return file;
}

/** What the help of a command says about the files with these columns that it reads. */
export function filesText(columns: Columns): string {
  return `
The file is UTF-8: CSV with a header line (.csv), or NDJSON, one object per line (.ndjson, .jsonl).
CSV fields are separated by commas, semicolons or tabs; the header may be in capital letters.
An empty value, and null in NDJSON, counts as not given. Identifiers, versions and times that an export has are skipped.
${columnsText(columns)}`;
}

/** The option of an import that also removes what the file does not name. A skipped row would count as not named. */
export const replaceOption = (description: string) =>
  new Option('--replace', description).conflicts('skipInvalid');

function columnsText(columns: Columns): string {
  const help = Object.assign(new Help(), { helpWidth: 100 });
  const width = Math.max(...Object.keys(columns).map((name) => name.length));
  const lines = (areRequired: boolean) =>
    Object.entries(columns)
      .filter(([, { isRequired = false }]) => isRequired === areRequired)
      .map(([name, { note }]) => help.formatItem(name, width, note, help));
  return [
    ...help.formatItemList('\nRequired columns:', lines(true), help),
    ...help.formatItemList('Optional columns:', lines(false), help),
  ]
    .join('\n')
    .trimEnd();
}
