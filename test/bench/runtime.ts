import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { unstable_getMiniflareWorkerOptions } from 'wrangler';
import type { Env } from '../../src/base/env.ts';
import type worker from '../../src/index.ts';
import { applyMigrations } from '../../src/tool/migrate.ts';

/** The service and the Workers that it is compared with, each on a socket of the runtime's own. */
export interface Runtime {
  /** The bindings of the first service, which the compared Workers share. */
  env: Env;
  envOf(service: string): Env;
  url(worker: string, path?: string): URL;
  /** Runs the hourly cron of a service, which publishes the lists. */
  publish(worker: string): Promise<void>;
  stop(): Promise<void>;
}

interface RuntimeOptions {
  /** Takes each line of the log. */
  log?: (line: string) => void;
  environment?: 'production';
  /** The directory of a production build that is there already. */
  bundle?: string;
}

export const service = 'service';

/** The settings that differ from a developer's machine: it logs every answer from memory, and has secrets of the demo. */
export const deployed = {
  ENVIRONMENT: 'production',
  REGISTRANT_TOKEN_KEYS: `bench:${'k'.repeat(40)}`,
};

/** Bundles an entry point as a deployment would, and returns the directory with `<entry>.js`. */
export function build(entry?: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'registry-edge-bench-'));
  const script = entry === undefined ? [] : [entry];
  execFileSync('wrangler', ['deploy', ...script, '--env=', '--dry-run', '--outdir', directory], {
    env: { ...process.env, WRANGLER_SEND_METRICS: 'false' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return directory;
}

/** The production build of the service, to be called in this process. */
export async function builtWorker(): Promise<typeof worker> {
  const directory = build();
  const { default: built } = await import(pathToFileURL(join(directory, 'index.js')).href);
  rmSync(directory, { recursive: true });
  return built;
}

/**
 * Starts the production build of the service, once for each of `services` with a database and a KV namespace of its
 * own, and the Workers of `workers/` that it is compared with, which share those of the first. Each is reached at its
 * own socket of workerd: Miniflare's entry Worker and wrangler's proxy stand before none of them. The rate limits are
 * those of the environment.
 */
export async function startRuntime(
  compared: readonly string[],
  services: readonly [string, ...string[]] = [service],
  { log = () => {}, environment, bundle }: RuntimeOptions = {},
): Promise<Runtime> {
  const directory = bundle ?? build();
  const script = readFileSync(join(directory, 'index.js'), 'utf8');
  if (bundle === undefined) rmSync(directory, { recursive: true });
  // A queue has one consumer, and the Workers here are many. The router of static files would stand before each of them.
  const { modulesRules, queueConsumers, assets, ...options } = unstable_getMiniflareWorkerOptions(
    'wrangler.toml',
    environment,
  ).workerOptions;
  const worker = (name: string, storage: string, script: string) => ({
    ...options,
    name,
    modules: true,
    script,
    d1Databases: { DB: storage },
    kvNamespaces: { LISTS: storage },
    // As in a deployment.
    bindings: { ...(options.bindings as object), ...deployed },
    analyticsEngineDatasets: { METRICS: { dataset: 'registry_edge' } },
    unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
  });
  const source = (name: string) =>
    stripTypeScriptTypes(readFileSync(join(import.meta.dirname, 'workers', `${name}.ts`), 'utf8'));
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      workers: [
        ...services.map((name) => worker(name, name, script)),
        ...compared.map((name) => worker(name, services[0], source(name))),
      ],
      // A line for every request is written, as in a deployment, whether or not anybody reads it.
      handleStructuredLogs: ({ message }) => log(message),
    }),
  );
  await miniflare.ready;
  const envs = new Map<string, Env>();
  const urls = new Map<string, URL>();
  for (const name of services) {
    const env = await miniflare.getBindings<Env>(name);
    await applyMigrations(env.DB);
    envs.set(name, env);
  }
  for (const name of [...services, ...compared]) {
    urls.set(name, await miniflare.unsafeGetDirectURL(name));
  }
  return {
    env: envs.get(services[0])!,
    envOf: (service) => envs.get(service)!,
    url: (worker, path = '/') => new URL(path, urls.get(worker)),
    async publish(worker) {
      const { outcome } = await (await miniflare.getWorker(worker)).scheduled({
        cron: '31 * * * *',
      });
      if (outcome !== 'ok') throw new Error(`publishing failed: ${outcome}`);
    },
    stop: () => miniflare.dispose(),
  };
}
