import type { Database } from '../../database/open.ts';
import type { ChangeOptions } from '../../dry-run.ts';
import type { Problem } from '../../error.ts';
import type { Origin } from '../../history.ts';
import type { CommonOptions } from '../command.ts';
import { inChunks } from '../progress.ts';
import { runPrepared } from '../run.ts';
import type { ImportOptions } from './importing.ts';
import { type RowReader, readImport } from './read-import.ts';
import { rejectedText, rejectRows, settleRejected } from './rejected.ts';

/** How the records of one kind are checked and imported. */
interface RecordImport<Row, Counts> {
  reader: RowReader<Row>;
  findProblems(db: Database, rows: readonly Row[]): Promise<(Problem & { record: Row })[]>;
  /** Imports all the rows or none, and counts the outcomes; a dry run only counts. */
  importRows(
    db: Database,
    origin: Origin,
    rows: readonly Row[],
    options: ChangeOptions,
  ): Promise<Counts>;
  /** The counts of no rows. */
  none: Counts;
  text(counts: Counts, registry: { isDryRun: boolean }): string;
}

/** Imports a file once all its rows are known to be valid; with --skip-invalid, the valid ones. */
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
    async (registry, read) => {
      const { db, origin, isDryRun } = registry;
      for (const chunk of inChunks('checking', read.rows)) {
        const rows = chunk.map(({ row }) => row);
        rejectRows(read, await findProblems(db, rows));
      }
      const rejectedFile = await settleRejected(read, options);
      const rows = read.rows.map(({ row }) => row);
      let counts = none;
      for (const chunk of inChunks('importing', rows)) {
        counts = sum(counts, await importRows(db, origin, chunk, { isDryRun }));
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
        text: text(counts, registry) + rejectedText(rejected, rejectedFile),
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
