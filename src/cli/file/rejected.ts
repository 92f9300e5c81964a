import path from 'node:path';
import { throwProblems } from '../../error.ts';
import type { ImportOptions } from './importing.ts';
import type { ReadFile } from './read-import.ts';
import { writeFileRows } from './write.ts';

/**
 * With --skip-invalid, saves the rejected rows (not in a dry run) and returns the file that holds them; undefined if
 * there are none. Otherwise throws all their problems in the order of the lines.
 */
export async function settleRejected(
  read: ReadFile,
  { skipInvalid, rejected, dryRun }: ImportOptions,
): Promise<string | undefined> {
  read.rejected.sort((one, other) => one.line - other.line);
  if (read.rejected.length === 0) return undefined;
  if (!skipInvalid) throwProblems(read.rejected.flatMap(({ problems }) => problems));
  const rejectedFile = rejected ?? defaultRejectedFile(read);
  if (!dryRun) await writeFileRows(rejectedFile, read.format, rejectedRows(read));
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
