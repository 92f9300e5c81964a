import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { stringify } from 'csv-stringify';
import { OutputError } from '../report/output.ts';
import type { Format } from './format.ts';
import { writeWhole } from './whole.ts';

interface Writing<Thing> {
  columns?: string[];
  isNew?: boolean;
  /** The row of each thing; by default, things are rows. */
  rowOf?: (thing: Thing) => object;
}

/** Writes the rows to a file, whole or not at all, or to standard output for `-`, and returns how many they were. */
export async function writeFileRows<Thing extends object>(
  file: string,
  format: Format,
  things: Iterable<Thing> | AsyncIterable<Thing>,
  { columns, isNew = false, rowOf = (thing) => thing }: Writing<Thing> = {},
): Promise<number> {
  let count = 0;
  async function* rows() {
    for await (const thing of things) {
      count += 1;
      const row = rowOf(thing);
      yield format === 'csv' ? row : `${JSON.stringify(row)}\n`;
    }
  }
  const writeTo = (target: NodeJS.WritableStream, end: boolean) =>
    format === 'csv'
      ? pipeline(rows, stringify({ header: true, ...(columns && { columns }) }), target, { end })
      : pipeline(rows, target, { end });
  // Standard output stays open for others.
  if (file === '-') {
    await writeTo(process.stdout, false).catch((error) => {
      const isOfOutput = process.stdout.errored === error || error.syscall === 'write';
      throw isOfOutput ? new OutputError(error) : error;
    });
  } else await writeWhole(file, (partial) => writeTo(createWriteStream(partial), true), { isNew });
  return count;
}
