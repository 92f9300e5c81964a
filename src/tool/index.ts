import { accessSync, constants, globSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import packageFile from '../../package.json' with { type: 'json' };
import { isUpToDate, keepCompiled, projectDirectory } from './project.ts';

// The operator's tool, bundled with Drizzle and zod: for each module of Drizzle, of which there are a hundred, Node
// would parse the 180 KB of Drizzle's package.json (Node 24.21, Drizzle 0.45), which takes longer than most commands.

const source = path.join(import.meta.dirname, 'main.ts');
const home = path.join(projectDirectory, '.wrangler');
const directoryOf = (builtAt: number) => path.join(home, `tool-${builtAt}`);

/** The times at which the bundles were built, the newest last. */
function listBuilds(): number[] {
  const names = globSync('tool-*', { cwd: home });
  return names.map((name) => Number(name.slice('tool-'.length))).sort((a, b) => a - b);
}

/** Bundles the tool in one step. Removes bundles that were replaced a day ago; commands may still run from newer ones. */
async function build(startedAt: number): Promise<void> {
  const { build } = await import('esbuild');
  const outdir = path.join(home, `building-tool-${process.pid}`);
  const packages = Object.keys({ ...packageFile.dependencies, ...packageFile.devDependencies });
  await build({
    entryPoints: [source],
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    external: packages.filter((name) => name !== 'drizzle-orm' && name !== 'zod'),
    logLevel: 'error',
  });
  const builds = listBuilds();
  const yesterday = startedAt - 24 * 60 * 60 * 1000;
  const unused = builds.filter((_, index) => builds[index + 1]! < yesterday);
  for (const old of unused) rmSync(directoryOf(old), { recursive: true, force: true });
  renameSync(outdir, directoryOf(startedAt));
}

/** The newest bundle, built again if a source has changed; the slower sources for a user who cannot write a bundle. */
async function findProgram(): Promise<string> {
  const newest = listBuilds().at(-1);
  if (isUpToDate(newest)) return path.join(directoryOf(newest), 'main.js');
  try {
    mkdirSync(home, { recursive: true });
    accessSync(home, constants.W_OK);
  } catch {
    return source;
  }
  const startedAt = Date.now();
  await build(startedAt);
  return path.join(directoryOf(startedAt), 'main.js');
}

keepCompiled();
await import(pathToFileURL(await findProgram()).href);
