import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { migrate } from './local-data.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether it is the run of `npm run test:deep`. */
    isDeep: boolean;
    /** The directory of the Worker's bundle. */
    bundle: string;
    /** The data directory of a local registry with tables and nothing in them. */
    emptyRegistry: string;
  }
}

/** Builds what the runtimes of all tests start from: the bundle with the static files, and an empty registry. */
export default async function build({ provide }: TestProject): Promise<() => void> {
  const directory = mkdtempSync(path.join(tmpdir(), 'registry-tests-'));
  const bundle = path.join(directory, 'bundle');
  const { ASSETS_ARE_BUILT: _, ...env } = process.env;
  execFileSync('wrangler', ['deploy', '--env=', '--dry-run', '--outdir', bundle], {
    env: { ...env, WRANGLER_SEND_METRICS: 'false' },
    stdio: 'pipe',
  });
  provide('bundle', bundle);
  const emptyRegistry = path.join(directory, 'registry');
  await migrate(emptyRegistry);
  // Otherwise the first process of the tool builds it, perhaps while a test kills it.
  execFileSync(process.execPath, ['src/cli/index.ts', '--version'], { stdio: 'pipe' });
  provide('emptyRegistry', emptyRegistry);
  return () => rmSync(directory, { recursive: true, force: true });
}
