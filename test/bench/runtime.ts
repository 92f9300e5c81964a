import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { unstable_getMiniflareWorkerOptions } from 'wrangler';
import type { Env } from '../../src/env.ts';

/** The service and the Workers that it is compared with, each on a socket of the runtime's own. */
export interface Runtime {
  /** The bindings that they share. */
  env: Env;
  url(worker: string, path?: string): URL;
  stop(): Promise<void>;
}

export const service = 'service';

/** Bundles an entry point as a deployment would, and returns the directory with `<entry>.js`. */
export function build(entry?: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'registry-edge-bench-'));
  const script = entry === undefined ? [] : [entry];
  execFileSync('wrangler', ['deploy', ...script, '--dry-run', '--outdir', directory], {
    env: { ...process.env, WRANGLER_SEND_METRICS: 'false' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return directory;
}

/**
 * Starts the production build of the service, and the Workers of `workers/` that are named, in one runtime
 * with one database and one KV namespace. Each is reached at its own socket of workerd: Miniflare's entry
 * Worker and wrangler's proxy stand before none of them.
 */
export async function startRuntime(compared: readonly string[]): Promise<Runtime> {
  const built = build();
  const { modulesRules, ...workerOptions } =
    unstable_getMiniflareWorkerOptions('wrangler.toml').workerOptions;
  const shared = {
    ...workerOptions,
    modules: true,
    unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
  };
  const source = (name: string) =>
    stripTypeScriptTypes(readFileSync(join(import.meta.dirname, 'workers', `${name}.ts`), 'utf8'));
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      workers: [
        { ...shared, name: service, script: readFileSync(join(built, 'index.js'), 'utf8') },
        ...compared.map((name) => ({ ...shared, name, script: source(name) })),
      ],
      // A line for every request: written, as in a deployment, and read by nobody.
      handleStructuredLogs: () => {},
    }),
  );
  await miniflare.ready;
  const env = await miniflare.getBindings<Env>(service);
  await migrate(env.DB);
  const urls = new Map<string, URL>();
  for (const name of [service, ...compared]) {
    urls.set(name, await miniflare.unsafeGetDirectURL(name));
  }
  return {
    env,
    url: (worker, path = '/') => new URL(path, urls.get(worker)),
    async stop() {
      await miniflare.dispose();
      rmSync(built, { recursive: true });
    },
  };
}

async function migrate(db: D1Database): Promise<void> {
  const files = readdirSync('migrations').filter((file) => file.endsWith('.sql'));
  for (const file of files.sort()) {
    const statements = readFileSync(join('migrations', file), 'utf8').split(
      '--> statement-breakpoint',
    );
    await db.batch(statements.map((statement) => db.prepare(statement)));
  }
}
