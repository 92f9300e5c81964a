import { Option } from '@commander-js/extra-typings';
import { reading } from '../command.ts';
import type { Report } from '../run.ts';
import { counted } from '../text.ts';
import { type Format, formatOf, formats } from './read.ts';
import { writeFileRows } from './write.ts';

interface ExportOptions {
  format?: Format;
  json?: true;
}

/** A verb that writes a file, or standard output: CSV, or NDJSON with --json. */
export function exporting(summary: string, ...examples: string[]) {
  return reading('export', summary, ...examples)
    .argument('[file]', 'the file, .csv or .ndjson; standard output without one', '-')
    .addOption(
      new Option('--format <format>', 'the form, where the name does not tell').choices(formats),
    );
}

/** Writes the rows; the report is of a file, as rows on standard output speak for themselves. */
export async function exportRows(
  file: string,
  { format, json }: ExportOptions,
  rows: AsyncIterable<Record<string, unknown>>,
  columns: string[],
): Promise<Report | undefined> {
  const isStandardOutput = file === '-';
  const told = format ?? (isStandardOutput && json ? 'ndjson' : undefined);
  const count = await writeFileRows(file, formatOf(file, told), rows, columns);
  if (isStandardOutput) return undefined;
  return { data: { file, rows: count }, text: `wrote ${counted(count, 'row')} to ${file}` };
}
