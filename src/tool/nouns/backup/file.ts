import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  createReadStream,
  existsSync,
  openAsBlob,
  statSync,
} from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { RegistryError } from '../../../base/error.ts';
import { requireReadable } from '../../files/read.ts';
import { writeWhole } from '../../files/whole.ts';
import { type Contents, contentsOf } from './copy.ts';

/**
 * The last line of a backup, after the database's pages, which SQLite ignores. The digest covers every byte before it.
 */
export interface Seal {
  tables: Contents;
  /** Absent in a copy of a registry. */
  writtenBy?: 'move-in' | undefined;
  sha256: string;
}

const mark = '\n-- registry backup: ';

/** The line takes about a hundred bytes for each table. */
const maximumLength = 1_048_576;

/**
 * Has `write` fill a SQLite file, checks it and seals it. Throws `taken` if the file exists, and `malformed` for a damaged database.
 */
export async function writeBackup(
  file: string,
  write: (target: string) => Promise<void>,
  { writtenBy }: Pick<Seal, 'writtenBy'> = {},
): Promise<Seal> {
  if (existsSync(file)) throw new RegistryError('taken', `${file} already exists`, 'file');
  const fill = async (target: string) => {
    await write(target);
    const tables = inspect(target);
    const sha256 = await digestOf(target, statSync(target).size);
    const seal = { tables, writtenBy, sha256 };
    appendFileSync(target, `${mark}${JSON.stringify(seal)}\n`);
    return seal;
  };
  return await writeWhole(file, fill, { isNew: true });
}

function inspect(file: string): Contents {
  using database = new DatabaseSync(file, { readOnly: true });
  const result = database.prepare('pragma integrity_check(1)').get()?.integrity_check;
  const broken = database.prepare('pragma foreign_key_check').get();
  if (result === 'ok' && !broken) return contentsOf(database);
  const why = broken ? `a row of ${broken.table} refers to a missing row` : result;
  throw new RegistryError('malformed', `the database is damaged: ${why}`);
}

/** Throws `not_found`, and `malformed` if the file has changed since it was written. */
export async function readSeal(file: string, name = file): Promise<Seal> {
  checkIsFile(file);
  const blob = await openAsBlob(file);
  const end = await blob.slice(-maximumLength).text();
  const line = end.slice(end.lastIndexOf(mark));
  const digest = await digestOf(file, blob.size - Buffer.byteLength(line));
  try {
    const seal: Seal = JSON.parse(line.slice(mark.length));
    if (digest === seal.sha256) return seal;
  } catch {
    // Not JSON.
  }
  const message = `${name} is not a whole backup: it is cut off or changed, or was not written by this tool`;
  throw new RegistryError('malformed', message, 'file');
}

function checkIsFile(file: string): void {
  requireReadable(file);
  if (!statSync(file).isFile())
    throw new RegistryError('malformed', `${file} is not a file`, 'file');
}

async function digestOf(file: string, length: number): Promise<string> {
  const hash = createHash('sha256');
  if (length > 0) {
    for await (const chunk of createReadStream(file, { end: length - 1 })) hash.update(chunk);
  }
  return hash.digest('hex');
}

/**
 * Copies a backup without files beside it, such as SQLite's log, and checks the copy. Throws as `readSeal` does.
 */
export async function copyBackup(file: string, target: string): Promise<Seal> {
  checkIsFile(file);
  copyFileSync(file, target);
  chmodSync(target, 0o600);
  return await readSeal(target, file);
}

/**
 * Replaces a database in one transaction, even an open one: the only step copies all pages. Makes it readable for its owner
 * alone. Throws `taken` while another program writes to it.
 */
export async function copyDatabase(from: string, to: string): Promise<void> {
  for (const file of [to, `${to}-wal`, `${to}-shm`].filter(existsSync)) chmodSync(file, 0o600);
  using source = new DatabaseSync(from, { readOnly: true });
  await backup(source, to, { rate: 0x7fff_ffff }).catch((error) => {
    // Node reports a lock as an error without a code.
    if (error.errcode !== 0) throw error;
    throw new RegistryError('taken', `another program writes to ${to}; nothing was changed`);
  });
  using target = new DatabaseSync(to);
  // Shrinks SQLite's log.
  target.exec('pragma wal_checkpoint(truncate)');
}
