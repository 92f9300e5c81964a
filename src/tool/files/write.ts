import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { stringify } from 'csv-stringify';
import { reading } from '../command.ts';
import { OutputError } from '../report/output.ts';
import { counted } from '../report/text.ts';
import type { Report } from '../run.ts';
import { type Columns, type Format, formatOf, formatOption } from './format.ts';
import { writeWhole } from './whole.ts';

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
  { file, format, json }: { file: string; format?: Format; json?: true },
  columns: Columns,
  things: AsyncIterable<Thing>,
  rowOf: (thing: Thing) => object,
): Promise<Report | undefined> {
  const isStandardOutput = file === '-';
  const chosen = format ?? (isStandardOutput && json ? 'ndjson' : undefined);
  async function* rows() {
    for await (const thing of things) yield rowOf(thing);
  }
  const names = Object.keys(columns);
  const count = await writeFileRows(file, formatOf(file, chosen), rows(), { columns: names });
  if (isStandardOutput) return undefined;
  return { data: { file, rows: count }, text: `wrote ${counted(count, 'row')} to ${file}` };
}

/** Writes the rows to a file, whole or not at all, or to standard output for `-`, and returns how many they were. */
export async function writeFileRows(
  file: string,
  format: Format,
  rows: Iterable<object> | AsyncIterable<object>,
  { columns, isNew = false }: { columns?: string[]; isNew?: boolean } = {},
): Promise<number> {
  let count = 0;
  async function* texts() {
    for await (const row of rows) {
      count += 1;
      yield format === 'csv' ? row : `${JSON.stringify(row)}\n`;
    }
  }
  const writeTo = (target: NodeJS.WritableStream, end: boolean) =>
    format === 'csv'
      ? pipeline(texts, stringify({ header: true, ...(columns && { columns }) }), target, { end })
      : pipeline(texts, target, { end });
  // Standard output stays open for others.
  if (file === '-') {
    await writeTo(process.stdout, false).catch((error) => {
      const isOfOutput = process.stdout.errored === error || error.syscall === 'write';
      throw isOfOutput ? new OutputError(error) : error;
    });
  } else await writeWhole(file, (partial) => writeTo(createWriteStream(partial), true), { isNew });
  return count;
}
