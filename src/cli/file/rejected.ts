import path from 'node:path';
import { type Problem, throwProblems } from '../../error.ts';
import { counted } from '../text.ts';
import type { ImportOptions } from './importing.ts';
import { displayName, type FileProblem } from './problem.ts';
import type { Columns, FileRow, Format } from './read.ts';
import type { ReadFile } from './read-import.ts';
import { writeFileRows } from './write.ts';

/** The rows of a file that can't be imported. */
export interface Rejected {
  file: string;
  format: Format;
  columns: Columns;
  rejected: { line: number; values: Record<string, unknown>; problems: FileProblem[] }[];
}

export function rejectRow(
  { file, rejected }: Pick<Rejected, 'file' | 'rejected'>,
  { line, values }: Pick<FileRow, 'line' | 'values'>,
  problems: readonly Problem[],
): void {
  const place = { file: displayName(file), line };
  rejected.push({ line, values, problems: problems.map((problem) => ({ ...problem, ...place })) });
}

/** Rejects the rows with problems that only the registry can find. */
export function rejectRows<Row>(
  read: ReadFile<Row>,
  problems: readonly (Problem & { record: Row })[],
): void {
  if (problems.length === 0) return;
  const ofRow = new Map<Row, Problem[]>();
  for (const { record, ...problem } of problems) {
    ofRow.set(record, [...(ofRow.get(record) ?? []), problem]);
  }
  read.rows = read.rows.filter(({ row, ...place }) => {
    const own = ofRow.get(row);
    if (own) rejectRow(read, place, own);
    return !own;
  });
}

/**
 * With --skip-invalid, saves the rejected rows (not in a dry run) and returns the file that holds them; undefined if
 * there are none. Otherwise throws all their problems in the order of the lines.
 */
export async function settleRejected(
  read: Rejected,
  { skipInvalid, rejected, dryRun }: ImportOptions,
): Promise<string | undefined> {
  read.rejected.sort((one, other) => one.line - other.line);
  if (read.rejected.length === 0) return undefined;
  if (!skipInvalid) throwProblems(read.rejected.flatMap(({ problems }) => problems));
  const rejectedFile = rejected ?? defaultRejectedFile(read);
  if (!dryRun) await writeFileRows(rejectedFile, read.format, rejectedRows(read));
  return rejectedFile;
}

function defaultRejectedFile({ file, format }: Rejected): string {
  if (file === '-') return `rejected.${format}`;
  const { dir, name, ext } = path.parse(file);
  return path.join(dir, `${name}.rejected${ext === '' ? `.${format}` : ext}`);
}

function* rejectedRows({ columns, format, rejected }: Rejected) {
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

/** The part of a report that says how many rows were rejected. */
export function rejectedText(rejected: number, rejectedFile: string | undefined): string {
  return rejectedFile === undefined
    ? ''
    : `; ${counted(rejected, 'row')} rejected, see ${rejectedFile}`;
}
