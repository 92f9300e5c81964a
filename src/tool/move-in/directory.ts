import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { RegistryError } from '../../base/error.ts';
import { readError } from '../files/read.ts';
import { kinds } from './kinds/kinds.ts';

export const reportName = 'move-in-report';

const files = kinds.map(({ name }) => `${name}.csv`);
const known = [...files, `${reportName}.csv`];

/**
 * Some files may be missing. `hasReport`: no file is newer than the report. `ignored`: unknown
 * files and columns. Throws `not_found` if the directory has none of the files.
 */
export function openDirectory(directory: string) {
  const fileOf = (name: string) => path.join(directory, `${name}.csv`);
  const names = listFiles(directory);
  const existing = known.filter((name) => names.includes(name));
  const has = (name: string) => existing.includes(`${name}.csv`);
  if (!files.some((name) => existing.includes(name))) {
    const message = `${directory} has none of the files ${files.join(', ')}`;
    throw new RegistryError('not_found', message);
  }
  const modifiedAt = (name: string) => statSync(path.join(directory, name)).mtimeMs;
  const report = `${reportName}.csv`;
  const hasReport =
    has(reportName) && existing.every((name) => modifiedAt(name) <= modifiedAt(report));
  const isIgnored = (name: string) => name.endsWith('.csv') && !known.includes(name);
  const ignored = names.filter(isIgnored);
  return { fileOf, has, hasReport, ignored };
}

function listFiles(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw readError(directory, error);
    throw new RegistryError('not_found', `there is no directory ${directory}`);
  }
}

export function ignoredText(ignored: readonly string[]): string[] {
  if (ignored.length === 0) return [];
  return [`ignored, because nothing is known of them: ${ignored.join(', ')}`];
}
