import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { type Problem, RegistryError } from '../../../error.ts';
import { writeWhole } from '../../file/whole.ts';
import { findDatabaseFile } from '../../local/file.ts';
import { atInterrupt } from '../../report/interrupt.ts';
import { type Contents, contentsOf, differences } from './contents.ts';
import { readSeal, seal } from './seal.ts';

/** Fills a new SQLite file by `write`, checks it and seals it. Throws `taken` if the file exists. */
export async function writeBackup(
  file: string,
  write: (target: string) => Promise<void>,
  writtenBy?: 'move-in',
): Promise<Contents> {
  if (existsSync(file)) throw new RegistryError('taken', `${file} already exists`, 'file');
  using _ = atInterrupt(() => 'interrupted; no backup was written');
  const fill = async (target: string) => {
    await write(target);
    const contents = inspect(target);
    await seal(target, contents, writtenBy);
    return contents;
  };
  return await writeWhole(file, fill, { isNew: true });
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

/** The contents of a backup. Throws `not_found`, and `malformed` with the changes if it is not as it was written. */
export async function checkBackup(file: string): Promise<Contents> {
  if (!existsSync(file)) throw new RegistryError('not_found', `there is no file ${file}`, 'file');
  const { tables, isUnchanged } = await readSeal(file);
  if (isUnchanged) return tables;
  const changes = changesOf(file, tables);
  throw changedBackup(file, changes.length > 0 ? changes : ['its bytes have changed']);
}

function changesOf(file: string, tables: Contents): string[] {
  try {
    using database = new DatabaseSync(file, { readOnly: true });
    return differences(tables, contentsOf(database));
  } catch (error) {
    return [(error as Error).message];
  }
}

export function changedBackup(file: string, changes: readonly string[]): RegistryError {
  const [first, ...others] = changes.map(
    (change): Problem => ({
      reason: 'malformed',
      message: `${file} is not as it was written: ${change}`,
      field: 'file',
    }),
  );
  return new RegistryError([first!, ...others]);
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
  {
    using source = new DatabaseSync(file, { timeout: 30_000 });
    source.prepare('vacuum into ?').run(target);
  }
  using copy = new DatabaseSync(target);
  const platforms = copy
    .prepare("select name from sqlite_schema where type = 'table' and name glob '_cf_*'")
    .all();
  for (const { name } of platforms) copy.exec(`drop table "${name}"`);
}
