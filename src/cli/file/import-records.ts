import type { Database } from '../../database/open.ts';
import type { Problem } from '../../error.ts';
import type { ListName } from '../../public-list/lists.ts';
import type { ChangeOptions, Origin } from '../../write.ts';
import type { CommonOptions } from '../command.ts';
import { inChunks } from '../progress.ts';
import type { Registry } from '../registry.ts';
import { runPrepared } from '../run.ts';
import type { ImportOptions } from './importing.ts';
import { type RowReader, readImport } from './read-import.ts';
import { rejectedText, rejectRows, settleRejected } from './rejected.ts';

/** How the records of one kind are checked and imported. */
interface RecordImport<Row, Counts> {
  reader: RowReader<Row>;
  findProblems(
    registry: Registry,
    rows: readonly Row[],
  ): Promise<readonly (Problem & { record: Row })[]>;
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
  /** More of the answer with --json. */
  extra?: Record<string, unknown>;
  /** The public lists that the rows may change. */
  publish?: readonly ListName[];
  /** Called once the rows are known to be valid; what it returns is done after the import. */
  prepare?(registry: Registry, rows: readonly Row[]): Promise<() => Promise<Addition>>;
}

/** What a report says beside the outcomes of the rows. */
interface Addition {
  counts: { removed: number };
  text: string;
}

/** Imports a file once all its rows are known to be valid; with --skip-invalid, the valid ones. */
export function runRecordImport<Row, Counts extends Record<keyof Counts, number>>(
  file: string,
  options: ImportOptions & CommonOptions,
  kind: RecordImport<Row, Counts & { unchanged: number }>,
): Promise<void> {
  const { reader, none, publish } = kind;
  return runPrepared(
    options,
    () => readImport(file, options, reader),
    async (registry, read) => {
      const { db, origin, isDryRun } = registry;
      for (const chunk of inChunks('checking', read.rows)) {
        const rows = chunk.map(({ row }) => row);
        rejectRows(read, await kind.findProblems(registry, rows));
      }
      const rejectedFile = await settleRejected(read, options);
      const rows = read.rows.map(({ row }) => row);
      const finish = await kind.prepare?.(registry, rows);
      let counts = none;
      for (const chunk of inChunks('importing', rows)) {
        counts = sum(counts, await kind.importRows(db, origin, chunk, { isDryRun }));
      }
      const addition = await finish?.();
      const rejected = read.rejected.length;
      const isChange = counts.unchanged < rows.length || (addition?.counts.removed ?? 0) > 0;
      return {
        data: {
          read: rows.length + rejected,
          ...counts,
          ...addition?.counts,
          ...kind.extra,
          rejected,
          rejected_file: rejectedFile ?? null,
          changed: isChange && !isDryRun,
        },
        text:
          kind.text(counts, registry) +
          (addition?.text ?? '') +
          rejectedText(rejected, rejectedFile),
        ...(publish && { publish }),
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
