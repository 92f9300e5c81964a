import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { RegistryError } from '../../error.ts';
import { kinds } from '../../move-in/kinds.ts';

export const reportName = 'move-in-report';
const names = kinds.flatMap(({ name, part }) => (part ? [name, part.file] : [name]));

/** Those of the files of all kinds that the directory has. */
export function existingFiles(directory: string): string[] {
  return names
    .map((name) => `${name}.csv`)
    .filter((name) => existsSync(path.join(directory, name)));
}

/** A directory of files, some of which may be missing. */
export interface Directory {
  fileOf(name: string): string;
  has(name: string): boolean;
  /** Files and columns that no kind has. */
  ignored: string[];
}

/** The directory. Throws `not_found` if it holds none of the files. */
export function openDirectory(directory: string): Directory {
  const fileOf = (name: string) => path.join(directory, `${name}.csv`);
  const has = (name: string) => existsSync(fileOf(name));
  if (!names.some(has)) {
    const message = `${directory} has none of the files ${names.map((name) => `${name}.csv`).join(', ')}`;
    throw new RegistryError('not_found', message);
  }
  const known = [...names, reportName].map((name) => `${name}.csv`);
  const ignored = readdirSync(directory).filter(
    (name) => name.endsWith('.csv') && !known.includes(name),
  );
  return { fileOf, has, ignored };
}
