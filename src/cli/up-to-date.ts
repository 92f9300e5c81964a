import { existsSync, globSync, statSync } from 'node:fs';
import path from 'node:path';
import { projectDirectory } from './project.ts';

const sources = ['src/**', 'drizzle/*', 'package.json', 'node_modules/.package-lock.json'];

/** Whether a built file is newer than every source and every installed package. */
export function isUpToDate(file: string): boolean {
  if (!existsSync(file)) return false;
  const builtAt = statSync(file).mtimeMs;
  return globSync(sources, { cwd: projectDirectory }).every(
    (name) => statSync(path.join(projectDirectory, name)).mtimeMs < builtAt,
  );
}
