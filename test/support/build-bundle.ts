import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** In the deep run, the directory of the Worker's bundle, and of bundle-meta.json, which says what esbuild put into it. */
    bundle: string;
  }
}

const run = promisify(execFile);

/** Builds what the real runtimes start from. */
export default async function build({ provide }: TestProject): Promise<() => void> {
  const directory = mkdtempSync(path.join(tmpdir(), 'registry-bundle-'));
  await Promise.all([
    run('wrangler', ['deploy', '--env=', '--dry-run', '--outdir', directory, '--metafile'], {
      env: { ...process.env, ASSETS_ARE_BUILT: 'yes', WRANGLER_SEND_METRICS: 'false' },
    }),
    // Otherwise the first process of the tool builds it, perhaps while a test kills it.
    run(process.execPath, ['src/tool/index.ts', '--version']),
  ]);
  provide('bundle', directory);
  return () => rmSync(directory, { recursive: true, force: true });
}
