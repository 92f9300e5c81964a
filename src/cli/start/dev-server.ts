import { RegistryError } from '../../error.ts';
import { takeLock } from '../local/lock.ts';
import { configPath } from '../project.ts';
import { prepareDirectory } from '../sandbox/directory.ts';
import { readLimits } from '../wrangler-config.ts';

// The process that `serve` starts: `wrangler dev` without its debugger, its explorer of the data and its registry of
// running Workers, each of which would give any program on this machine access to the database.

export interface ServerOptions {
  isSandbox: boolean;
  environment: string | undefined;
  /** The environment whose rate limits apply, if not those of `environment`. */
  limits: string | undefined;
  /** The directory of the data. */
  directory: string;
  secrets: Record<string, string>;
}

/** The address at which the server listens, or why it does not start. */
export type ServerMessage = { address: string } | { refusal: string };

async function run({
  isSandbox,
  environment,
  limits,
  directory,
  secrets,
}: ServerOptions): Promise<ServerMessage> {
  // An unknown environment is refused here, whether it was named for its limits or not.
  const limitBindings = readLimits(limits ?? environment);
  const { lock } = await takeLock(directory, 'npm start');
  // The lock is held until this process ends, even if its parent is killed before.
  process.on('exit', () => lock?.[Symbol.dispose]());
  prepareDirectory(directory, { isSandbox });
  const { unstable_startWorker: startWorker } = await import('wrangler');
  let worker: Awaited<ReturnType<typeof startWorker>> | undefined;
  let isEnding = false;
  const end = async () => {
    if (isEnding) return;
    isEnding = true;
    await worker?.dispose();
    process.exit();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
  // The parent is gone.
  process.on('disconnect', end);
  worker = await startWorker({
    config: configPath,
    entrypoint: isSandbox ? 'src/cli/sandbox/worker.ts' : 'src/cli/start/worker.ts',
    ...(environment !== undefined && { env: environment }),
    bindings: {
      ...limitBindings,
      ...Object.fromEntries(
        Object.entries(secrets).map(([name, value]) => [name, { type: 'secret_text', value }]),
      ),
    },
    dev: {
      server: { hostname: '127.0.0.1', port: 0 },
      inspector: false,
      persist: directory,
      remote: false,
      watch: true,
    },
  });
  await worker.ready;
  return { address: (await worker.url).origin };
}

// The options come in a message, because other users can read arguments and the environment.
process.once('message', async (options: ServerOptions) => {
  const message = await run(options).catch((error: unknown): ServerMessage => {
    if (error instanceof RegistryError) return { refusal: error.message };
    throw error;
  });
  process.send?.(message);
  if ('refusal' in message) process.disconnect();
});
