import { createHash } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  createReadStream,
  existsSync,
  openSync,
  readSync,
  statSync,
} from 'node:fs';
import { RegistryError } from '../../../base/error.ts';
import type { Contents } from './contents.ts';

/**
 * The last line of a backup, after the database's pages, where SQLite does not look. The digest is of every byte before
 * it.
 */
export interface Seal<Result = unknown> {
  tables: Contents;
  /** Absent in a copy of a registry. */
  writtenBy?: 'move-in' | undefined;
  /** What was changed in a copy of a backup before it is restored. */
  result?: Result;
  sha256: string;
}

const mark = '\n-- registry backup: ';

/** The line takes about a hundred bytes for each table, and for each thing that was changed. */
const maximumLength = 16_777_216;

export async function seal<Result>(
  file: string,
  about: Omit<Seal<Result>, 'sha256'>,
): Promise<Seal<Result>> {
  const line = { ...about, sha256: await digestOf(file, statSync(file).size) };
  appendFileSync(file, `${mark}${JSON.stringify(line)}\n`);
  return line;
}

/** The seal of a backup. Throws `not_found`, and `malformed` if the file is not as it was written. */
export async function readSeal(file: string): Promise<Seal> {
  if (!existsSync(file)) throw new RegistryError('not_found', `there is no file ${file}`, 'file');
  const { size } = statSync(file);
  const end = Buffer.alloc(Math.min(size, maximumLength));
  const descriptor = openSync(file, 'r');
  readSync(descriptor, end, { position: size - end.length });
  closeSync(descriptor);
  const place = end.lastIndexOf(mark);
  const digest = await digestOf(file, size - end.length + place);
  try {
    const found: Seal = JSON.parse(String(end.subarray(place + mark.length)));
    if (digest === found.sha256) return found;
  } catch {
    // No line of JSON.
  }
  const message = `${file} is not a whole backup: it is cut off or changed, or was not written by this tool`;
  throw new RegistryError('malformed', message, 'file');
}

async function digestOf(file: string, length: number): Promise<string> {
  const hash = createHash('sha256');
  if (length > 0) {
    for await (const chunk of createReadStream(file, { end: length - 1 })) hash.update(chunk);
  }
  return hash.digest('hex');
}
