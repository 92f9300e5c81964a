import { execFile } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { keepCompiled, projectDirectory } from './project.ts';

// Otherwise each start asks Cloudflare where this machine is.
process.env.CLOUDFLARE_CF_FETCH_ENABLED ??= 'false';
// Wrangler is slow to load unless Node keeps what it has compiled.
keepCompiled();
/** The environment of everything that runs wrangler. */
export const wranglerEnvironment = {
  ...process.env,
  WRANGLER_SEND_METRICS: 'false',
  // They would expose the data to anyone who reaches the server.
  X_LOCAL_EXPLORER: 'false',
  X_LOCAL_OBSERVABILITY: 'false',
  NODE_COMPILE_CACHE: getCompileCacheDir(),
};

/** Runs a wrangler command and returns its standard output. If it fails, throws an Error with all of its output. */
export async function runWrangler(args: readonly string[], input = ''): Promise<string> {
  const script = path.join(projectDirectory, 'node_modules/wrangler/wrangler-dist/cli.js');
  const running = promisify(execFile)(process.execPath, ['--no-warnings', script, ...args], {
    cwd: projectDirectory,
    env: wranglerEnvironment,
    maxBuffer: Number.POSITIVE_INFINITY,
  });
  running.child.stdin?.end(input);
  const { stdout } = await running.catch((error) => {
    throw new Error(`${error.stdout}${error.stderr}`.trim());
  });
  return stdout;
}
