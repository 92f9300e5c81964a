import { accessSync, constants, mkdirSync, renameSync, statSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import packageFile from '../../package.json' with { type: 'json' };
import { isUpToDate, keepCompiled, projectDirectory } from './project.ts';

const source = path.join(import.meta.dirname, 'main.ts');
const program = path.join(projectDirectory, '.wrangler/tool/main.js');

/** Replaces the bundle in one step. Running commands have read all of the old one. */
async function build(): Promise<void> {
  const startedAtSeconds = Date.now() / 1000;
  const { build } = await import('esbuild');
  const outfile = `${program}.${process.pid}`;
  const packages = Object.keys({ ...packageFile.dependencies, ...packageFile.devDependencies });
  await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: packages.filter((name) => name !== 'drizzle-orm' && name !== 'zod'),
    logLevel: 'error',
  });
  // A source that changes during the build must be newer than the bundle.
  utimesSync(outfile, startedAtSeconds, startedAtSeconds);
  renameSync(outfile, program);
}

/**
 * Returns the bundle, rebuilt after a change of a source; the slower sources for a user who cannot
 * read or write a bundle.
 */
async function findProgram(): Promise<string> {
  try {
    const builtAt = statSync(program, { throwIfNoEntry: false })?.mtimeMs;
    // Whoever presses Tab doesn't wait for a build.
    if (process.argv[2] === 'complete' ? builtAt : isUpToDate(builtAt)) return program;
    mkdirSync(path.dirname(program), { recursive: true });
    accessSync(path.dirname(program), constants.W_OK);
  } catch {
    return source;
  }
  await build();
  return program;
}

keepCompiled();
await import(pathToFileURL(await findProgram()).href);
