import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmdirSync, utimesSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import packageFile from '../../package.json' with { type: 'json' };
import { isUpToDate, projectDirectory } from './project.ts';

// The operator's tool, bundled with Drizzle and zod: for each module of Drizzle, of which there are a hundred, Node would
// parse the 180 KB of Drizzle's package.json (Node 24.21, Drizzle 0.45), which takes longer than most commands.

const target = path.join(projectDirectory, '.wrangler/tool');
const entry = path.join(target, 'main.js');

async function build(): Promise<void> {
  const startedAt = Date.now() / 1000;
  const { build } = await import('esbuild');
  mkdirSync(target, { recursive: true });
  const outdir = mkdtempSync(path.join(target, 'build-'));
  const packages = Object.keys({ ...packageFile.dependencies, ...packageFile.devDependencies });
  await build({
    entryPoints: [path.join(import.meta.dirname, 'main.ts')],
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    external: packages.filter((name) => name !== 'drizzle-orm' && name !== 'zod'),
    logLevel: 'error',
  });
  // A change during the build counts as one after it.
  utimesSync(path.join(outdir, 'main.js'), startedAt, startedAt);
  // The entry comes last, and the parts that commands are still using stay: their names are digests.
  const parts = readdirSync(outdir).filter((name) => name !== 'main.js');
  for (const name of [...parts, 'main.js']) {
    renameSync(path.join(outdir, name), path.join(target, name));
  }
  rmdirSync(outdir);
}

enableCompileCache();
if (!isUpToDate(entry)) await build();
await import(pathToFileURL(entry).href);
