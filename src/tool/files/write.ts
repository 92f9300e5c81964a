import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { stringify } from 'csv-stringify';
import { countText } from '../../view/text.ts';
import { parseCsvName, readCommand } from '../command.ts';
import { OutputError, writeOutput } from '../report/output.ts';
import type { Report } from '../run.ts';
import type { Columns } from './format.ts';
import { writeWhole } from './whole.ts';

/** Writes CSV to a file, and CSV or NDJSON to standard output. */
export function exportCommand(...examples: string[]) {
  return readCommand('export', ...examples)
    .addHelpText('after', '\nWith --json, rows on standard output are NDJSON, one on each line.')
    .argument('[file]', 'the CSV file; by default, standard output', parseCsvName, '-');
}

/** Rows on standard output need no report. */
export async function exportRows<Thing extends object>(
  { file, json }: { file: string; json?: true },
  columns: Columns,
  things: AsyncIterable<Thing>,
  rowOf: (thing: Thing) => object,
): Promise<Report | undefined> {
  if (file === '-' && json) {
    for await (const thing of things) await writeOutput(`${JSON.stringify(rowOf(thing))}\n`);
    return undefined;
  }
  async function* rows() {
    for await (const thing of things) yield rowOf(thing);
  }
  const count = await writeFileRows(file, rows(), { columns: Object.keys(columns) });
  if (file === '-') return undefined;
  return { data: { file, rows: count }, text: `wrote ${countText(count, 'row')} to ${file}` };
}

/** Writes a file completely or not at all. `-` is standard output. Returns the number of rows. */
export async function writeFileRows(
  file: string,
  rows: Iterable<object> | AsyncIterable<object>,
  { columns, isNew = false }: { columns: string[]; isNew?: boolean },
): Promise<number> {
  let count = 0;
  async function* counting() {
    for await (const row of rows) {
      count += 1;
      yield row;
    }
  }
  const writeTo = (target: NodeJS.WritableStream, end: boolean) =>
    pipeline(counting, stringify({ header: true, columns }), target, { end });
  // Standard output stays open for others.
  if (file === '-') {
    await writeTo(process.stdout, false).catch((error) => {
      const isOfOutput = process.stdout.errored === error || error.syscall === 'write';
      throw isOfOutput ? new OutputError(error) : error;
    });
  } else await writeWhole(file, (partial) => writeTo(createWriteStream(partial), true), { isNew });
  return count;
}
