import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openForRequests } from '../support/local-data.ts';

const run = promisify(execFile);

/** A directory with the data of a local server, and with the configuration that wrangler looks for. */
export async function makeDataDirectory() {
  const path = await mkdtemp(join(tmpdir(), 'registry-edge-data-'));
  await copyFile('wrangler.toml', join(path, 'wrangler.toml'));
  const state = join(path, '.wrangler/state');
  return {
    path,
    /** The directory for wrangler's `--persist-to`. */
    state,
    /** The bindings on the data, while no server runs on it. */
    async open() {
      const { env, dispose } = await openForRequests(state);
      return { env: { ...env, VERSION: { id: 'local', tag: '', timestamp: '' } }, dispose };
    },
    remove: () => rm(path, { recursive: true, force: true }),
  };
}

/** Runs a command of wrangler's to its end; fails with what it printed. */
export async function wrangler(...args: string[]): Promise<void> {
  const script = 'node_modules/wrangler/bin/wrangler.js';
  const env = { ...process.env, WRANGLER_SEND_METRICS: 'false', CI: 'true' };
  await run(process.execPath, [script, ...args], { env });
}
