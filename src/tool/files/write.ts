import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { stringify } from 'csv-stringify';
import { OutputError } from '../report/output.ts';
import type { Format } from './format.ts';
import { writeWhole } from './whole.ts';

type Rows = Iterable<Record<string, unknown>> | AsyncIterable<Record<string, unknown>>;

/** Writes the rows to a file, whole or not at all, or to standard output for `-`, and returns how many they were. */
export async function writeFileRows(
  file: string,
  format: Format,
  rows: Rows,
  { columns, isNew = false }: { columns?: string[]; isNew?: boolean } = {},
): Promise<number> {
  let count = 0;
  async function* counted() {
    for await (const row of rows) {
      count += 1;
      yield row;
    }
  }
  const lines =
    format === 'csv' ? stringify({ header: true, ...(columns && { columns }) }) : ndjson;
  const writeTo = (target: NodeJS.WritableStream, end: boolean) =>
    pipeline(Readable.from(counted()), lines, target, { end });
  // Standard output stays open for others.
  if (file === '-') {
    await writeTo(process.stdout, false).catch((error) => {
      const isOfOutput = process.stdout.errored === error || error.syscall === 'write';
      throw isOfOutput ? new OutputError(error) : error;
    });
  } else await writeWhole(file, (partial) => writeTo(createWriteStream(partial), true), { isNew });
  return count;
}

async function* ndjson(rows: Rows): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`;
}
