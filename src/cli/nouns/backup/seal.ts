import { createHash } from 'node:crypto';
import { appendFileSync, closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs';
import { RegistryError } from '../../../error.ts';
import type { Contents } from './contents.ts';

/**
 * The last line of a backup, after the database's pages, where SQLite does not look. The digest is of every byte before
 * it.
 */
interface Seal {
  tables: Contents;
  /** Absent in a copy of a registry. */
  writtenBy?: 'move-in';
  sha256: string;
}

const mark = '\n-- registry backup: ';

/** The line takes about a hundred bytes for each table. */
const maximumLength = 65_536;

export async function seal(
  file: string,
  tables: Contents,
  writtenBy?: Seal['writtenBy'],
): Promise<void> {
  const sha256 = await digestOf(file, statSync(file).size);
  const line: Seal = { tables, sha256, ...(writtenBy && { writtenBy }) };
  appendFileSync(file, `${mark}${JSON.stringify(line)}\n`);
}

/** The tables as they were written, and whether the file is unchanged. Throws `malformed`. */
export async function readSeal(file: string) {
  const { size } = statSync(file);
  const end = Buffer.alloc(Math.min(size, maximumLength));
  const descriptor = openSync(file, 'r');
  readSync(descriptor, end, { position: size - end.length });
  closeSync(descriptor);
  const place = end.lastIndexOf(mark);
  try {
    const { tables, sha256, writtenBy }: Seal = JSON.parse(
      String(end.subarray(place + mark.length)),
    );
    const isUnchanged = sha256 === (await digestOf(file, size - end.length + place));
    return { tables, writtenBy, isUnchanged };
  } catch {
    const message = `${file} is not a whole backup: it is cut off, or was not written by this tool`;
    throw new RegistryError('malformed', message, 'file');
  }
}

async function digestOf(file: string, length: number): Promise<string> {
  const hash = createHash('sha256');
  if (length > 0) {
    for await (const chunk of createReadStream(file, { end: length - 1 })) hash.update(chunk);
  }
  return hash.digest('hex');
}
