import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Env } from '../../env.ts';
import { RegistryError } from '../../error.ts';
import type { Bindings } from '../bindings.ts';
import type { CommonOptions } from '../command.ts';
import { localDirectory, projectDirectory } from '../project.ts';
import { readLocalConfig } from '../wrangler-config.ts';
import { findDatabaseFile, openFileForReading } from './file.ts';
import { openOverHttp } from './http-bindings.ts';
import { takeLock } from './lock.ts';
import { openRunningServer } from './server.ts';

/**
 * Opens the local data: through the local server while it runs; otherwise from its file for a command that only reads, and
 * through a runtime of its own for one that writes, which waits for its turn.
 */
export async function openLocal(
  { persistTo, env }: CommonOptions,
  { isWritable }: { isWritable: boolean },
): Promise<Bindings> {
  const directory = localDirectory(persistTo);
  // Opening would create it.
  if (!existsSync(path.join(stateOf(directory), 'd1'))) {
    const start = `npm start -- --no-demo${persistTo ? ` --persist-to ${persistTo}` : ''}`;
    throw new RegistryError(
      'not_found',
      `there is no local database in ${directory}; create an empty one with: ${start}`,
    );
  }
  const file = isWritable ? undefined : findDatabaseFile(directory, env);
  if (file === undefined) return openInTurn(directory, env);
  const server = await openRunningServer(directory, env);
  return server ?? openForReading(directory, file, env);
}

/** Opens the database from its file, and the rest in turn with other commands, when it is first asked for. */
function openForReading(
  directory: string,
  file: string,
  environment: string | undefined,
): Bindings {
  const { vars, archive } = readLocalConfig(environment);
  const { database: DB, close } = openFileForReading(file);
  let opened: Promise<Bindings> | undefined;
  const bindings = async () => {
    opened ??= openInTurn(directory, environment);
    return (await opened).env;
  };
  const ARCHIVE = archive && {
    list: async (options: R2ListOptions) => (await bindings()).ARCHIVE!.list(options),
  };
  const LISTS = {
    list: async (options?: KVNamespaceListOptions) => (await bindings()).LISTS.list(options),
    get: async (key: string, type: 'arrayBuffer') => (await bindings()).LISTS.get(key, type),
  };
  return {
    env: { ...vars, DB, LISTS, ...(ARCHIVE && { ARCHIVE }) } as unknown as Env,
    async dispose() {
      close();
      await (await opened?.catch(() => undefined))?.dispose();
    },
  };
}

/** Uses the server that runs on the data or starts meanwhile, or a runtime that holds the lock until it is disposed of. */
async function openInTurn(directory: string, environment: string | undefined): Promise<Bindings> {
  const findServer = () => openRunningServer(directory, environment, { isReading: false });
  const { lock, other } = await takeLock(directory, commandName(), findServer);
  if (other) return other;
  using opening = new DisposableStack();
  opening.use(lock);
  const { env, dispose } = await openLocalData(directory, environment);
  const opened = opening.move();
  return { env, dispose: () => dispose().finally(() => opened.dispose()) };
}

/** What another process calls this one while it waits. */
function commandName(): string {
  return ['registry', ...process.argv.slice(2, 4).filter((word) => /^[a-z-]+$/.test(word))].join(
    ' ',
  );
}

/** Opens the data in the directory through a runtime of its own. Creates the directory if it is not there. */
export async function openLocalData(directory: string, environment?: string): Promise<Bindings> {
  const { compatibilityDate, databaseId, listsId, archive, vars } = readLocalConfig(environment);
  const [{ convertV4MiniflareOptions, Miniflare }, script] = await Promise.all([
    import('miniflare'),
    bundleLender(),
  ]);
  const token = crypto.randomUUID();
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script,
      compatibilityDate,
      bindings: { TOOL_TOKEN: token },
      d1Databases: { DB: databaseId },
      kvNamespaces: { LISTS: listsId },
      ...(archive && { r2Buckets: { ARCHIVE: archive } }),
      resourcePersistencePath: stateOf(directory),
      // Otherwise each start asks Cloudflare where this machine is.
      cf: false,
    }),
  );
  const { DB } = openOverHttp((await miniflare.ready).href, token);
  const LISTS = await miniflare.getKVNamespace('LISTS');
  const bucket = archive && { ARCHIVE: await miniflare.getR2Bucket('ARCHIVE') };
  const env = { ...vars, DB, LISTS, ...bucket } as unknown as Env;
  return { env, dispose: () => miniflare.dispose() };
}

async function bundleLender(): Promise<string> {
  const { build } = await import('esbuild');
  const lender = path.join(projectDirectory, 'src/cli/local/lender.ts');
  const bundled = await build({ entryPoints: [lender], bundle: true, format: 'esm', write: false });
  return bundled.outputFiles[0]!.text;
}

/** `wrangler dev --persist-to DIR` keeps its data in DIR/v3. */
function stateOf(directory: string): string {
  return path.join(directory, 'v3');
}
