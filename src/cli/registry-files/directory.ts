import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { RegistryError } from '../../error.ts';
import type { Kind } from '../../move-in/kind.ts';
import { kinds } from '../../move-in/kinds.ts';

export const reportName = 'move-in-report';
const names = kinds.flatMap(filesOf).map(({ name }) => name);

const known = [...names, reportName].map((name) => `${name}.csv`);

export interface KindFile {
  /** The name without `.csv`. */
  name: string;
  columns: string[];
}

/** The file of a kind's rows, and the one of the elements of their lists. */
export function filesOf({ name, columns, part }: Kind): [KindFile, ...KindFile[]] {
  const own = Object.keys(columns).filter((column) => !part?.fills.includes(column));
  const rows = { name, columns: own };
  return part ? [rows, { name: part.file, columns: Object.keys(part.columns) }] : [rows];
}

/** The files of rows and the report, as far as they are in the directory. */
export function existingFiles(directory: string): string[] {
  return known.filter((name) => existsSync(path.join(directory, name)));
}

export type Directory = ReturnType<typeof openDirectory>;

/**
 * A directory of files, some of which may be missing. `hasReport` says that none of them was written after the report;
 * `ignored` are files and columns that no kind has. Throws `not_found` if the directory holds none of the files.
 */
export function openDirectory(directory: string) {
  const fileOf = (name: string) => path.join(directory, `${name}.csv`);
  const existing = existingFiles(directory);
  const has = (name: string) => existing.includes(`${name}.csv`);
  if (!names.some(has)) {
    const message = `${directory} has none of the files ${names.map((name) => `${name}.csv`).join(', ')}`;
    throw new RegistryError('not_found', message);
  }
  const written = (name: string) => statSync(path.join(directory, name)).mtimeMs;
  const hasReport =
    has(reportName) && existing.every((name) => written(name) <= written(`${reportName}.csv`));
  const ignored = readdirSync(directory).filter(
    (name) => name.endsWith('.csv') && !known.includes(name),
  );
  return { fileOf, has, hasReport, ignored };
}

export function ignoredText(ignored: readonly string[]): string[] {
  if (ignored.length === 0) return [];
  return [`ignored, because nothing is known of them: ${ignored.join(', ')}`];
}
