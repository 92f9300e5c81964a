import { Option } from '@commander-js/extra-typings';
import { reading } from '../command.ts';
import type { Report } from '../run.ts';
import { counted } from '../text.ts';
import { type Format, formatOf, formats } from './format.ts';
import { writeFileRows } from './write.ts';

interface ExportOptions {
  format?: Format;
  json?: true;
}

/** The command `export`, which writes CSV or NDJSON to a file or to standard output. */
export function exporting(...examples: string[]) {
  return reading('export', ...examples)
    .argument('[file]', 'the file, .csv or .ndjson; by default, standard output', '-')
    .addOption(
      new Option(
        '--format <format>',
        'the format, if the name of the file does not say it',
      ).choices(formats),
    );
}

/** Writes the rows. Rows on standard output need no report. */
export async function exportRows(
  file: string,
  { format, json }: ExportOptions,
  rows: AsyncIterable<Record<string, unknown>>,
  columns: string[],
): Promise<Report | undefined> {
  const isStandardOutput = file === '-';
  const chosen = format ?? (isStandardOutput && json ? 'ndjson' : undefined);
  const count = await writeFileRows(file, formatOf(file, chosen), rows, columns);
  if (isStandardOutput) return undefined;
  return { data: { file, rows: count }, text: `wrote ${counted(count, 'row')} to ${file}` };
}
