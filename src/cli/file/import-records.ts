import type { Database } from '../../database/open.ts';
import type { Problem } from '../../error.ts';
import type { Origin } from '../../history.ts';
import type { CommonOptions } from '../command.ts';
import { inChunks } from '../progress.ts';
import { runPrepared } from '../run.ts';
import {
  type ImportOptions,
  type RowReader,
  readImport,
  rejectedText,
  rejectRows,
  settleRejected,
} from './import.ts';

/** How records get into the registry, which has a say in whether they can. */
interface RecordImport<Row, Counts> {
  reader: RowReader<Row>;
  findProblems(db: Database, rows: readonly Row[]): Promise<(Problem & { record: Row })[]>;
  /** Imports all the rows or none, and counts what became of them; a dry run only counts. */
  importRows(
    db: Database,
    origin: Origin,
    rows: readonly Row[],
    isDryRun: boolean,
  ): Promise<Counts>;
  /** The counts of no rows. */
  none: Counts;
  text(counts: Counts, isDryRun: boolean): string;
}

/** Imports a file once every one of its rows is known to be good, or the bad ones are to be skipped. */
export function runRecordImport<Row, Counts extends Record<keyof Counts, number>>(
  file: string,
  options: ImportOptions & CommonOptions,
  {
    reader,
    findProblems,
    importRows,
    none,
    text,
  }: RecordImport<Row, Counts & { unchanged: number }>,
): Promise<void> {
  return runPrepared(
    options,
    () => readImport(file, options, reader),
    async ({ db, origin, isDryRun }, read) => {
      for (const chunk of inChunks('checking', read.rows)) {
        const rows = chunk.map(({ row }) => row);
        rejectRows(read, await findProblems(db, rows));
      }
      const rejectedFile = await settleRejected(read, options);
      const rows = read.rows.map(({ row }) => row);
      let counts = none;
      for (const chunk of inChunks('importing', rows)) {
        counts = sum(counts, await importRows(db, origin, chunk, isDryRun));
      }
      const rejected = read.rejected.length;
      return {
        data: {
          read: rows.length + rejected,
          ...counts,
          rejected,
          rejected_file: rejectedFile ?? null,
          changed: counts.unchanged < rows.length && !isDryRun,
        },
        text: text(counts, isDryRun) + rejectedText(rejected, rejectedFile),
      };
    },
  );
}

function sum<Counts extends Record<keyof Counts, number>>(one: Counts, other: Counts): Counts {
  const total = { ...one };
  for (const key of Object.keys(one) as (keyof Counts)[]) {
    total[key] = (one[key] + other[key]) as Counts[keyof Counts];
  }
  return total;
}
