import { globSync, readFileSync, statSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import path from 'node:path';

/** The repository. The bundled tool below .wrangler has the same depth as this file. */
export const projectDirectory = path.resolve(import.meta.dirname, '../..');
export const configPath = path.join(projectDirectory, 'wrangler.toml');
export const deskConfigPath = path.join(projectDirectory, 'src/desk/wrangler.toml');

export function projectVersion(): string {
  return JSON.parse(readFileSync(path.join(projectDirectory, 'package.json'), 'utf8')).version;
}

// Requests to this machine bypass a proxy of the environment (NODE_USE_ENV_PROXY).
const loopback = 'localhost,127.0.0.1,[::1]';
const noProxy = process.env.no_proxy ?? process.env.NO_PROXY;
process.env.no_proxy = noProxy ? `${noProxy},${loopback}` : loopback;

/** Returns to the user's directory. npm runs scripts in the project's. */
export function enterUsersDirectory(script: string): void {
  const { npm_lifecycle_event, INIT_CWD } = process.env;
  if (npm_lifecycle_event === script && INIT_CWD !== undefined) process.chdir(INIT_CWD);
}

/**
 * Ends the process if npm has kept options of a script for itself, because no `--` stood before them. The script would do something else
 * than was asked for: `npm run deploy --dry-run` would deploy.
 */
export function refuseKeptOptions(script: string, options: readonly string[]): void {
  if (process.env.npm_lifecycle_event !== script) return;
  const nameOf = (option: string) => option.replace(/^--(no-)?/, '').replaceAll('-', '_');
  const kept = options.filter((option) => `npm_config_${nameOf(option)}` in process.env);
  if (kept.length === 0) return;
  const call = script === 'start' ? 'npm start' : `npm run ${script}`;
  console.error(`npm has kept ${kept.join(', ')} for itself. Write -- first: ${call} -- …`);
  process.exit(2);
}

/** The directory of the local data: --persist-to, relative to the user's directory, or one below .wrangler. */
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
 * Whether a build of this time, in milliseconds, is newer than every source and every installed package. Uses ctime, because an unpacked
 * source keeps an old mtime.
 */
export function isUpToDate(builtAt: number | undefined): builtAt is number {
  if (builtAt === undefined) return false;
  return globSync(sources, { cwd: projectDirectory }).every(
    (name) => statSync(path.join(projectDirectory, name)).ctimeMs < builtAt,
  );
}

/** Uses the user's own directory, where nobody else can write. */
export function keepCompiled(): void {
  enableCompileCache(
    path.join(process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'), 'registry-edge'),
  );
}
