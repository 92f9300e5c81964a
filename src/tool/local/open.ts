import { constants } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { retry } from '../../base/database/retry.ts';
import type { Env } from '../../base/env.ts';
import { RegistryError } from '../../base/error.ts';
import { currentTime } from '../../base/time/clock.ts';
import { dayOf } from '../../base/time/day.ts';
import type { Bindings, OpenBindings } from '../bindings.ts';
import { type CommonOptions, commandLine } from '../command.ts';
import { localDirectory } from '../project.ts';
import { readLocalConfig } from '../wrangler-config.ts';
import { findDatabaseFile, openFile, requireAccess } from './file.ts';
import { openOverHttp, tokenHeader } from './http-bindings.ts';
import { takeLock } from './lock.ts';
import { endRuntimesWithProcess } from './runtime.ts';
import { openRunningServer } from './server.ts';

/**
 * Uses a running local server; otherwise reads from the file, and writes in turn through an own
 * runtime.
 */
export async function openLocal(
  { persistTo, env }: CommonOptions,
  { isWritable, mayBeEmpty }: Parameters<OpenBindings>[1],
): Promise<Bindings> {
  const directory = localDirectory(persistTo);
  const found = findDatabaseFile(directory, env);
  // Opening would create it.
  if (found === undefined && !mayBeEmpty) {
    const start = commandLine(['--no-demo'], { persistTo, env }, 'npm start --');
    const message = `there is no local database in ${directory}; create an empty one with: ${start}`;
    throw new RegistryError('not_found', message);
  }
  if (isWritable || found === undefined) return openInTurn(directory, found, env);
  const server = await openRunningServer(directory, env);
  return server ?? openForReading(directory, found, env);
}

/** Opens the other bindings at their first use, in turn with other commands. */
function openForReading(directory: string, file: string, environment: string | undefined) {
  const { vars, archive } = readLocalConfig(environment);
  const { database: DB, close } = openFile(file);
  let opened: Promise<Bindings> | undefined;
  const later = (name: 'LISTS' | 'ARCHIVE') =>
    new Proxy({} as Record<string, (...args: unknown[]) => unknown>, {
      get:
        (_, method: string) =>
        async (...args: unknown[]) => {
          opened ??= openInTurn(directory, file, environment);
          return Object((await opened).env[name])[method](...args);
        },
    });
  const env = { ...vars, DB, LISTS: later('LISTS'), ...(archive && { ARCHIVE: later('ARCHIVE') }) };
  return {
    env: env as unknown as Env,
    async dispose() {
      close();
      await (await opened?.catch(() => undefined))?.dispose();
    },
  };
}

/** Uses a server that runs on the data, or starts meanwhile; or a runtime, under the lock. */
async function openInTurn(
  directory: string,
  file: string | undefined,
  environment: string | undefined,
): Promise<Bindings> {
  const findServer = () => openRunningServer(directory, environment);
  if (!(await findServer())) {
    // The runtime would never end if it could not write to the temporary directory.
    requireAccess(constants.W_OK, directory, tmpdir(), ...(file === undefined ? [] : [file]));
  }
  const { lock, server } = await takeLock(directory, 'registry', findServer);
  if (server) return server;
  using opening = new DisposableStack();
  opening.use(lock);
  const { env, dispose } = await openLocalData(directory, environment);
  const opened = opening.move();
  return { env, dispose: () => dispose().finally(() => opened.dispose()) };
}

/**
 * A Worker that lends its database to the holder of the token, with one request for a query or a
 * batch. The runtime's own proxy takes several for each statement.
 */
const lender = `export default {
  async fetch(request, { DB, TOOL_TOKEN }) {
    if (request.headers.get('${tokenHeader}') !== TOOL_TOKEN) return new Response(null, { status: 401 });
    try {
      const { statements, isRaw } = await request.json();
      const prepared = statements.map(({ sql, params }) => DB.prepare(sql).bind(...params));
      return Response.json(await (isRaw ? prepared[0].raw() : DB.batch(prepared)));
    } catch ({ message }) {
      return new Response(message, { status: 500 });
    }
  },
}`;

/** The runtime opens the file at its first query, and fails if another process opens or leaves it at that moment. */
const whileOpening = { maximumTries: 20, isPassing: () => true, pauseMilliseconds: () => 100 };

/** Opens the data through an own runtime. Creates a missing directory. */
export async function openLocalData(directory: string, environment?: string): Promise<Bindings> {
  const { compatibilityDate, databaseId, listsId, archive, vars } = readLocalConfig(environment);
  const { convertV4MiniflareOptions, Miniflare } = await import('miniflare');
  endRuntimesWithProcess();
  const token = crypto.randomUUID();
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: lender,
      // With --clock-is-right, the clock may be before it.
      compatibilityDate: [compatibilityDate, dayOf(currentTime())].sort()[0]!,
      bindings: { TOOL_TOKEN: token },
      d1Databases: { DB: databaseId },
      kvNamespaces: { LISTS: listsId },
      ...(archive && { r2Buckets: { ARCHIVE: archive } }),
      // Where `wrangler dev --persist-to` keeps its data.
      resourcePersistencePath: path.join(directory, 'v3'),
      // Prevents a request to Cloudflare about this machine's location at each start.
      cf: false,
    }),
  );
  // Without it, a runtime that could not start would keep the process.
  await using starting = new AsyncDisposableStack();
  starting.defer(() => miniflare.dispose());
  const { DB } = openOverHttp((await miniflare.ready).href, token);
  // Afterwards, the command says what else is wrong.
  await retry(() => DB.prepare('select 1').all(), whileOpening).catch(() => undefined);
  const LISTS = await miniflare.getKVNamespace('LISTS');
  const bucket = archive && { ARCHIVE: await miniflare.getR2Bucket('ARCHIVE') };
  const env = { ...vars, DB, LISTS, ...bucket } as unknown as Env;
  starting.move();
  return { env, dispose: () => miniflare.dispose() };
}
