import { reading } from '../command.ts';
import { counted } from '../report/text.ts';
import type { Report } from '../run.ts';
import { type Columns, type Format, formatOf, formatOption } from './format.ts';
import { writeFileRows } from './write.ts';

/** The command `export`, which writes CSV or NDJSON to a file or to standard output. */
export function exporting(...examples: string[]) {
  return reading('export', ...examples)
    .addHelpText('after', '\nWith --json, rows on standard output are NDJSON, one on each line.')
    .argument('[file]', 'the file, .csv or .ndjson; by default, standard output', '-')
    .addOption(formatOption())
    .hook('preAction', (command) => {
      formatOf(command.processedArgs[0], command.opts().format);
    });
}

/** Writes the things as rows with these columns. Rows on standard output need no report. */
export async function exportRows<Thing extends object>(
  file: string,
  { format, json }: { format?: Format; json?: true },
  columns: Columns,
  things: AsyncIterable<Thing>,
  rowOf: (thing: Thing) => Record<string, unknown>,
): Promise<Report | undefined> {
  const isStandardOutput = file === '-';
  const chosen = format ?? (isStandardOutput && json ? 'ndjson' : undefined);
  const how = { columns: Object.keys(columns), rowOf };
  const count = await writeFileRows(file, formatOf(file, chosen), things, how);
  if (isStandardOutput) return undefined;
  return { data: { file, rows: count }, text: `wrote ${counted(count, 'row')} to ${file}` };
}
