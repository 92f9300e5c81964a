import { existsSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { RegistryError } from '../../../base/error.ts';
import { writeWhole } from '../../files/whole.ts';
import { findDatabaseFile } from '../../local/file.ts';
import { type Contents, contentsOf } from './contents.ts';
import { type Seal, seal } from './seal.ts';

/**
 * Has `write` fill a SQLite file, checks it and seals it, with what `write` returns. Throws `taken` if the file must be new
 * and exists.
 */
export async function writeBackup<Result>(
  file: string,
  write: (target: string) => Promise<Result>,
  writtenBy?: Seal['writtenBy'],
  isNew = true,
): Promise<Seal<Result>> {
  if (isNew && existsSync(file)) {
    throw new RegistryError('taken', `${file} already exists`, 'file');
  }
  const fill = async (target: string) => {
    const result = await write(target);
    return await seal(target, { tables: inspect(target), writtenBy, result });
  };
  return await writeWhole(file, fill, { isNew });
}

/** Throws `malformed` if the database is damaged. */
function inspect(file: string): Contents {
  try {
    using database = new DatabaseSync(file, { readOnly: true });
    const result = database.prepare('pragma integrity_check(1)').get();
    if (result?.integrity_check !== 'ok') throw new Error(String(result?.integrity_check));
    const broken = database.prepare('pragma foreign_key_check').get();
    if (broken) throw new Error(`a row of ${broken.table} refers to a missing row`);
    return contentsOf(database);
  } catch (error) {
    throw new RegistryError('malformed', `the database is damaged: ${(error as Error).message}`);
  }
}

/** Copies a local database as it is at one moment; others may write to it meanwhile. */
export function copyLocal(
  directory: string,
  environment: string | undefined,
  target: string,
): void {
  const file = findDatabaseFile(directory, environment);
  if (file === undefined) {
    throw new RegistryError('not_found', `${directory} has no database of this environment`);
  }
  using source = new DatabaseSync(file, { timeout: 30_000 });
  source.prepare('vacuum into ?').run(target);
}

/** Makes a database equal to another, in one transaction, whoever has it open. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  using source = new DatabaseSync(from, { readOnly: true });
  await backup(source, to, { rate: 10_000 });
  using target = new DatabaseSync(to);
  // Otherwise its log stays as large as it is.
  target.exec('pragma wal_checkpoint(truncate)');
}
