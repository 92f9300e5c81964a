import { RegistryError } from '../../error.ts';
import type { ImportOptions } from './importing.ts';
import { type Columns, type Format, formatOf, readRows } from './read.ts';
import { type Rejected, rejectRow } from './rejected.ts';

/** How the rows of one kind of file are read. */
export interface RowReader<Row> {
  columns: Columns;
  /** Throws RegistryError with everything that is wrong. */
  read(values: Record<string, unknown>): Row;
  /** What may appear only once in a file, as messages show it. */
  keys(row: Row): string[];
}

/** The rows of a file, and those that can't be imported. */
export interface ReadFile<Row> extends Rejected {
  rows: { line: number; values: Record<string, unknown>; row: Row }[];
  format: Format;
  columns: Columns;
}

/** Reads the whole file before anything is written. The second of two rows with the same key is rejected. */
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
      const repeated = keys.find((key) => lineOfKey.has(key));
      if (repeated !== undefined) {
        const message = `${repeated} is already in line ${lineOfKey.get(repeated)}`;
        throw new RegistryError('taken', message);
      }
      for (const key of keys) lineOfKey.set(key, line);
      result.rows.push({ line, values, row });
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      rejectRow(result, { line, values }, error.problems);
    }
  }
  return result;
}
