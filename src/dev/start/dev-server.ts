import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { unstable_DevEnv as DevEnv } from 'wrangler';
import { RegistryError } from '../../base/error.ts';
import { takeLock } from '../../tool/local/lock.ts';
import { endRuntimesWithProcess } from '../../tool/local/runtime.ts';
import { configPath, deskConfigPath, projectDirectory } from '../../tool/project.ts';
import { readLimits, readSecrets } from '../../tool/wrangler-config.ts';
import type { StartOptions } from './options.ts';

// The process that `serve` starts: `wrangler dev` without debugger, explorer of the data, and registry of running Workers. Each of these would
// give any program on this machine access to the database.

export type ServerOptions = Pick<StartOptions, 'isSandbox' | 'env' | 'limits' | 'directory'> & {
  secrets: Record<string, string>;
  /** The settings of the staff's desk, if it is to be served. */
  desk?: Record<string, string> | undefined;
};

/** Messages to the parent: the addresses of the ready server and its desk; the reason of a failed build, or null after a successful one. */
export type ServerMessage = { address: string; desk?: string } | { problem: string | null };

const tell = (message: ServerMessage) => process.send?.(message);

/** Empty until wrangler is loaded. */
const servers: DevEnv[] = [];
let isEnding = false;

async function end(): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  // A server that has not started may never be torn down.
  setTimeout(process.exit, 3_000);
  await Promise.all(servers.map((server) => server.teardown()));
  process.exit();
}

/** Ends with the error as the last line. */
function fail(error: Error): void {
  if (isEnding) return;
  const cause = error.cause instanceof Error ? error.cause : error;
  const reason = 'syscall' in cause ? cause.message : cause.stack;
  const text = error instanceof RegistryError ? error.message : `The server cannot run: ${reason}`;
  process.on('exit', () => console.error(text));
  process.exitCode = 1;
  end();
}

async function run(options: ServerOptions): Promise<{ address: string; desk?: string }> {
  const { isSandbox, env, limits, directory, secrets, desk } = options;
  // Refuses an unknown environment.
  const limitBindings = readLimits(limits ?? env);
  const { lock } = await takeLock(directory, 'npm start');
  // Holds the lock until this process ends, even if its parent is killed before.
  process.on('exit', () => lock?.[Symbol.dispose]());
  prepareDirectory(directory, isSandbox);
  endRuntimesWithProcess();
  const address = await startWorker({
    config: configPath,
    entrypoint: isSandbox ? 'src/dev/sandbox/worker.ts' : 'src/dev/start/worker.ts',
    ...(env !== undefined && { env }),
    // Of an environment that names required secrets, wrangler reads no others.
    bindings: { ...limitBindings, ...secretBindings({ ...readSecrets(env), ...secrets }) },
    dev: { persist: directory },
  });
  if (!desk) return { address };
  // It has the data of the server at the address.
  const deskAddress = await startWorker({
    config: deskConfigPath,
    entrypoint: path.join(projectDirectory, 'src/dev/start/desk-worker.ts'),
    bindings: secretBindings({ ...desk, ...secrets, REGISTRY: address }),
    dev: { persist: false },
  });
  return { address, desk: deskAddress };
}

const secretBindings = (values: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, { type: 'secret_text' as const, value }]),
  );

type WorkerInput = Parameters<DevEnv['startWorker']>[0];

/** Returns its address. */
async function startWorker({ dev, ...input }: WorkerInput): Promise<string> {
  const { unstable_DevEnv } = await import('wrangler');
  const server = new unstable_DevEnv();
  servers.push(server);
  let isLoaded = false;
  server.on('error', (error) => {
    const [uncaught] = /Uncaught [^\\"]+/.exec(String(error.cause?.message)) ?? [];
    // Code that throws when it is loaded again. Wrangler does not go on from the first load.
    if (isLoaded && uncaught !== undefined) tell({ problem: uncaught });
    else fail(error);
  });
  server.on('buildFailed', ({ cause }) => {
    // A change of the code cannot mend an error of the operating system.
    if ('syscall' in cause) fail(cause);
    else tell({ problem: String((cause.cause ?? cause).message) });
  });
  server.on('reloadComplete', () => {
    isLoaded = true;
    tell({ problem: null });
  });
  const worker = await server.startWorker({
    ...input,
    dev: {
      server: { hostname: '127.0.0.1', port: 0 },
      inspector: false,
      remote: false,
      watch: true,
      ...dev,
    },
  });
  await worker.ready;
  return (await worker.url).origin;
}

/**
 * Empties the directory of an earlier sandbox, and marks it as a sandbox. Throws `taken` for a sandbox in the directory of another registry,
 * and the reverse.
 */
function prepareDirectory(directory: string, isSandbox: boolean): void {
  const mark = path.join(directory, 'sandbox');
  const data = path.join(directory, 'v3');
  const problem = isSandbox
    ? existsSync(data) && !existsSync(mark) && 'it contains a registry that is not a sandbox'
    : existsSync(mark) && 'it belongs to a sandbox; start it with --sandbox';
  if (problem) throw new RegistryError('taken', `--persist-to ${directory}: ${problem}`);
  if (!isSandbox) return;
  rmSync(data, { recursive: true, force: true });
  writeFileSync(mark, '');
}

// The channel closes when the parent ends.
for (const event of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect']) process.on(event, end);
process.on('unhandledRejection', fail);
// A message, because other users can read arguments and the environment.
process.once('message', async (options: ServerOptions) => {
  try {
    tell(await run(options));
  } catch (error) {
    fail(error as Error);
  }
});
