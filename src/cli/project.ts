import { globSync, readFileSync, statSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import path from 'node:path';

/** The repository, wherever the command was called from; the bundled tool is as deep in it, below .wrangler. */
export const projectDirectory = path.resolve(import.meta.dirname, '../..');
export const configPath = path.join(projectDirectory, 'wrangler.toml');

/** The version in package.json. */
export function projectVersion(): string {
  return JSON.parse(readFileSync(path.join(projectDirectory, 'package.json'), 'utf8')).version;
}

/** Goes back to the directory that the user called the npm script from: npm runs it in the project's. */
export function enterUsersDirectory(script: string): void {
  const { npm_lifecycle_event, INIT_CWD } = process.env;
  if (npm_lifecycle_event === script && INIT_CWD !== undefined) process.chdir(INIT_CWD);
}

/** Where the local data is kept: --persist-to, from the user's directory, or one below .wrangler. */
export function localDirectory(
  persistTo: string | undefined,
  name: 'state' | 'sandbox' = 'state',
): string {
  return persistTo === undefined
    ? path.join(projectDirectory, '.wrangler', name)
    : path.resolve(persistTo);
}

const sources = ['src/**', 'drizzle/*', 'package.json', 'node_modules/.package-lock.json'];

/**
 * Whether what was built at this time, in milliseconds, is newer than every source and every installed package. An
 * unpacked source has an old time of modification, but not of its status.
 */
export function isUpToDate(builtAt: number | undefined): builtAt is number {
  if (builtAt === undefined) return false;
  return globSync(sources, { cwd: projectDirectory }).every(
    (name) => statSync(path.join(projectDirectory, name)).ctimeMs < builtAt,
  );
}

/** Has Node keep what it compiles, in a directory of the user's own: code that somebody else may write must not run. */
export function keepCompiled(): void {
  enableCompileCache(
    path.join(process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'), 'registry-edge'),
  );
}
