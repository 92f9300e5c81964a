import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { applyMigrations } from '../../src/tool/migrate.ts';
import { openDatabaseFile } from './in-process/database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether it is the run of `npm run test:deep`, in the real runtime. */
    isDeep: boolean;
    /** Whether it is that run's second part, in which random tests draw many lives on the stand-ins. */
    drawsMany: boolean;
    /** The data directory of a local registry with tables and nothing in them. */
    emptyRegistry: string;
  }
}

/** Makes the static files, of which the document is one to which answers are held, and the empty registry. */
export default async function build({ provide }: TestProject): Promise<() => void> {
  const assets = promisify(execFile)(process.execPath, ['src/tool/build-assets.ts'], {
    env: { ...process.env, WRANGLER_COMMAND: 'dev' },
  });
  const directory = mkdtempSync(path.join(tmpdir(), 'registry-tests-'));
  const { DB, close } = openDatabaseFile(directory);
  await applyMigrations(DB);
  close();
  await assets;
  provide('emptyRegistry', directory);
  return () => rmSync(directory, { recursive: true, force: true });
}
