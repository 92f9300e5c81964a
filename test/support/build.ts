import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { migrate } from './local-data.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether it is the run of `npm run test:deep`. */
    isDeep: boolean;
    /** The directory of the Worker's bundle, and of bundle-meta.json, which says what esbuild put into it. */
    bundle: string;
    /** The data directory of a local registry with tables and nothing in them. */
    emptyRegistry: string;
  }
}

const run = promisify(execFile);

/** Builds what the runtimes of all tests start from: the bundle with the static files, and an empty registry. */
export default async function build({ provide }: TestProject): Promise<() => void> {
  const directory = mkdtempSync(path.join(tmpdir(), 'registry-tests-'));
  const bundle = path.join(directory, 'bundle');
  const emptyRegistry = path.join(directory, 'registry');
  const { ASSETS_ARE_BUILT: _, ...env } = process.env;
  await Promise.all([
    run('wrangler', ['deploy', '--env=', '--dry-run', '--outdir', bundle, '--metafile'], {
      env: { ...env, WRANGLER_SEND_METRICS: 'false' },
    }),
    migrate(emptyRegistry),
    // Otherwise the first process of the tool builds it, perhaps while a test kills it.
    run(process.execPath, ['src/tool/index.ts', '--version']),
  ]);
  provide('bundle', bundle);
  provide('emptyRegistry', emptyRegistry);
  return () => rmSync(directory, { recursive: true, force: true });
}
