import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { stringify } from 'csv-stringify';
import type { Format } from './format.ts';

type Rows = Iterable<Record<string, unknown>> | AsyncIterable<Record<string, unknown>>;

/**
 * Writes the rows to a file, or to standard output for `-`, and returns how many they were. A new file can be read by its
 * owner only, because it may contain personal data.
 */
export async function writeFileRows(
  file: string,
  format: Format,
  rows: Rows,
  columns?: string[],
): Promise<number> {
  let count = 0;
  async function* counted() {
    for await (const row of rows) {
      count += 1;
      yield row;
    }
  }
  const target = file === '-' ? process.stdout : createWriteStream(file, { mode: 0o600 });
  // Standard output stays open for others.
  const ending = { end: file !== '-' };
  if (format === 'csv') {
    const lines = stringify({ header: true, ...(columns && { columns }) });
    await pipeline(Readable.from(counted()), lines, target, ending);
  } else {
    await pipeline(Readable.from(ndjson(counted())), target, ending);
  }
  return count;
}

async function* ndjson(rows: Rows): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`;
}
