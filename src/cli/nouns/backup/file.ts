import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { RegistryError } from '../../../error.ts';
import { findDatabaseFile } from '../../local-file.ts';

/** Creates an empty file that only its owner can read. */
export function createPrivateFile(file: string): void {
  rmSync(file, { force: true });
  writeFileSync(file, '', { mode: 0o600, flag: 'wx' });
}

/**
 * Has `write` fill an empty SQLite file that only its owner can read, checks it and gives it its name. A backup that is
 * interrupted leaves only files whose names begin with that name and .partial. Throws `taken` if there is a file of this
 * name.
 */
export async function writeBackup(file: string, write: (partial: string) => Promise<void>) {
  if (existsSync(file)) throw new RegistryError('taken', `${file} already exists`, 'file');
  const partial = `${file}.partial`;
  createPrivateFile(partial);
  try {
    await write(partial);
    const summary = checkBackup(partial);
    renameSync(partial, file);
    return summary;
  } finally {
    rmSync(partial, { force: true });
  }
}

/** The numbers of a backup's tables and rows. Throws `malformed` if the file is not a whole backup of a registry, `not_found` if there is none. */
export function checkBackup(file: string) {
  if (!existsSync(file)) throw new RegistryError('not_found', `there is no file ${file}`, 'file');
  try {
    using database = new DatabaseSync(file, { readOnly: true });
    const [result] = database.prepare('pragma integrity_check').all();
    if (result?.integrity_check !== 'ok') throw new Error(String(result?.integrity_check));
    const [broken] = database.prepare('pragma foreign_key_check').all();
    if (broken) throw new Error(`a row of ${broken.table} refers to a missing row`);
    const tables = tablesOf(database);
    if (!tables.includes('d1_migrations')) throw new Error('it has no list of migrations');
    const rows = tables.map((table) => countOf(database, table));
    return { tables: tables.length, rows: rows.reduce((total, count) => total + count, 0) };
  } catch (error) {
    const reason = (error as Error).message;
    throw new RegistryError('malformed', `${file} is not a whole backup: ${reason}`, 'file');
  }
}

/** Copies a local database, as it is at one moment, while others may write to it. */
export function copyLocal(directory: string, target: string): void {
  const file = findDatabaseFile(directory);
  if (file === undefined) {
    throw new RegistryError('invalid', `${directory} has no database, or several`);
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

/** Makes a database of an export in SQL. */
export function loadSql(sql: string, target: string): void {
  using database = new DatabaseSync(target, { enableForeignKeyConstraints: false });
  database.exec(`begin; ${sql}; commit`);
}

/** The condition for tables of the registry, not of SQLite or the platform. */
export const isOwnTable = "type = 'table' and name not glob 'sqlite_*' and name not glob '_cf_*'";

/** The tables of the registry, each before those that refer to it. */
export function tablesOf(database: DatabaseSync): string[] {
  const rows = database
    .prepare(`select name from sqlite_schema where ${isOwnTable} order by name`)
    .all() as { name: string }[];
  const ordered: string[] = [];
  const add = (table: string) => {
    if (ordered.includes(table)) return;
    const references = database.prepare(`pragma foreign_key_list("${table}")`).all();
    for (const { table: parent } of references) if (parent !== table) add(String(parent));
    ordered.push(table);
  };
  for (const { name } of rows) add(name);
  return ordered;
}

export function countOf(database: DatabaseSync, table: string): number {
  const [row] = database.prepare(`select count(*) as count from "${table}"`).all();
  return Number(row?.count);
}
