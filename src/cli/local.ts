import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Env } from '../env.ts';
import { RegistryError } from '../error.ts';
import type { CommonOptions } from './command.ts';
import { readLocalConfig } from './local-config.ts';
import { findDatabaseFile, openFileForReading } from './local-file.ts';
import { openRunningServer } from './local-server.ts';
import { localDirectory } from './project.ts';
import type { Bindings } from './session.ts';

/**
 * Opens the local data: through the local server while it runs, since two processes that write to one SQLite file
 * disturb each other; otherwise from its file for a command that only reads, and through a runtime with nothing but the
 * bindings for others.
 */
export async function openLocal(
  { persistTo, env }: CommonOptions,
  { isWritable }: { isWritable: boolean },
): Promise<Bindings> {
  const directory = localDirectory(persistTo);
  // Opening would create it.
  if (!existsSync(path.join(stateOf(directory), 'd1'))) {
    const start = `npm start${persistTo ? ` -- --persist-to ${persistTo}` : ''}`;
    throw new RegistryError(
      'not_found',
      `there is no local database in ${directory}; create it with: ${start}`,
    );
  }
  const server = await openRunningServer(directory, env);
  if (server) return server;
  const file = isWritable ? undefined : findDatabaseFile(directory);
  return file === undefined ? openLocalData(directory, env) : openForReading(directory, file, env);
}

/** The database from its file, and the lists through a runtime, which starts when they are first asked for. */
function openForReading(
  directory: string,
  file: string,
  environment: string | undefined,
): Bindings {
  const { vars } = readLocalConfig(environment);
  const { database, close } = openFileForReading(file);
  let runtime: Promise<Bindings> | undefined;
  const lists = async () => {
    runtime ??= openLocalData(directory, environment);
    return (await runtime).env.LISTS;
  };
  const LISTS = {
    list: async (options?: KVNamespaceListOptions) => (await lists()).list(options),
    get: async (key: string, type: 'arrayBuffer') => (await lists()).get(key, type),
  };
  return {
    env: { ...vars, DB: database, LISTS } as unknown as Env,
    async dispose() {
      close();
      await (await runtime)?.dispose();
    },
  };
}

/** Opens the data in the directory, which is created if need be. */
export async function openLocalData(directory: string, environment?: string): Promise<Bindings> {
  const { compatibilityDate, databaseId, listsId, vars } = readLocalConfig(environment);
  const { convertV4MiniflareOptions, Miniflare } = await import('miniflare');
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: 'export default {}',
      compatibilityDate,
      d1Databases: { DB: databaseId },
      kvNamespaces: { LISTS: listsId },
      resourcePersistencePath: stateOf(directory),
      // Otherwise each start asks Cloudflare where this machine is.
      cf: false,
    }),
  );
  const bindings = await miniflare.getBindings<Pick<Env, 'DB' | 'LISTS'>>();
  return { env: { ...vars, ...bindings } as Env, dispose: () => miniflare.dispose() };
}

/** `wrangler dev --persist-to DIR` keeps its data in DIR/v3. */
function stateOf(directory: string): string {
  return path.join(directory, 'v3');
}
