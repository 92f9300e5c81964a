import { readFileSync } from 'node:fs';
import { parse } from 'smol-toml';
import { afterAll, beforeAll, inject } from 'vitest';
import { createTestHarness, type TestHarnessOptions } from 'wrangler';
import { type Database, openDatabase } from '../../src/base/database/open.ts';
import type { Env } from '../../src/base/env.ts';
import type { Operation } from '../../src/change/origin.ts';
import { applyMigrations } from '../../src/tool/migrate.ts';
import { readLocalConfig } from '../../src/tool/wrangler-config.ts';
import { app } from '../../src/worker/http/app.ts';
import { maximumBodyBytes } from '../../src/worker/http/request/input.ts';
import { withMethods } from '../list/published.ts';
import { emptyAgain } from '../tool/empty-again.ts';
import { type Asked, contractProblem } from '../worker/http/openapi/contract.ts';
import { operator } from './fixtures.ts';
import { sharedIdentityService } from './identity-service.ts';
import { startInProcess } from './in-process/runtime.ts';
import { lentBucket } from './lent-bucket.ts';
import { openLentDatabase } from './lent-database.ts';
import { isInProcess } from './run.ts';

interface Runtime {
  url: URL;
  env: Env;
  fetch(url: string, init: RequestInit | undefined): Promise<Response>;
  scheduled(cron: string): Promise<unknown>;
  logs(): { message: string }[];
  close(): Promise<void>;
}

export type TestWorker = ReturnType<typeof workerFrom>;

/**
 * The application with D1 and KV of its own, for the tests of one file: started before the first of them with the
 * migrations applied, stopped after the last. The environment is local, with the bindings of the named one where there
 * is one.
 */
export function startWorker(vars: Record<string, string> = {}, environment?: 'production') {
  return ownWorker(() => startRuntime(vars, environment));
}

function ownWorker(start: () => Promise<Runtime>, settings?: Partial<Env>) {
  let runtime: Runtime | undefined;
  afterAll(() => runtime?.close());
  return workerFrom(async () => {
    runtime = await start();
    return runtime;
  }, settings);
}

let shared: Promise<Runtime> | undefined;

/**
 * The same in a runtime that files share, for tests whose rows are their own. What belongs to the registry is
 * everybody's: a file that publishes lists, empties tables or counts all rows starts a worker of its own. With settings,
 * this process answers instead, on the same data.
 */
export function shareWorker(settings?: Partial<Env>) {
  return workerFrom(startShared, settings);
}

/**
 * The shared runtime, emptied before the tests of the file: for those that publish lists, empty tables or count all rows,
 * and that ask this Worker for nothing that an isolate remembers.
 */
export function shareEmptyWorker(settings?: Partial<Env>) {
  if (isInProcess) return ownWorker(() => calledBack(startRuntime), settings);
  return workerFrom(async () => {
    const { env, ...rest } = await startShared();
    if (!(await emptyAgain(env, inject('emptyRegistry'))))
      throw new Error('a test left tables of its own');
    // This process remembers lists and auctions by the bindings that it has read them from.
    const fresh = { DB: withMethods(env.DB, {}), LISTS: withMethods(env.LISTS, {}) };
    return { ...rest, env: { ...env, ...fresh } };
  }, settings);
}

/** The shared runtime. It ends with the process, whose files follow one another without isolation. */
function startShared(): Promise<Runtime> {
  return calledBack((settings) => {
    shared ??= startRuntime(settings);
    return shared;
  });
}

/** A runtime that asks the shared stand-in for the identity service, and that it calls back from now on. */
async function calledBack(
  start: (settings: Record<string, string>) => Promise<Runtime>,
): Promise<Runtime> {
  const service = await sharedIdentityService();
  const runtime = await start(service.settings);
  service.serves(runtime.url);
  return runtime;
}

/** The Worker of `npm start -- --sandbox`, which moves the clock of its isolate: for the deep run. */
export function startSandbox(vars: Record<string, string> = {}) {
  return startWorkerFrom('src/dev/sandbox/worker.ts', vars);
}

/** The Worker of another module, as `startWorker` starts the one that is deployed. */
export function startWorkerFrom(main: string, vars: Record<string, string> = {}) {
  return ownWorker(() => {
    if (isInProcess) return startInProcess(main, vars);
    const config = parse(readFileSync('wrangler.toml', 'utf8'));
    delete config.env;
    const all = { ...readLocalConfig(undefined).vars, ...vars };
    return startHarness({ config: { ...config, main, vars: all } });
  });
}

async function holdToContract(asked: Asked, response: Response): Promise<void> {
  // A stream that was broken off has no whole document.
  const body = await response
    .clone()
    .text()
    .catch(() => undefined);
  if (body === undefined) return;
  const { status, headers } = response;
  const problem = contractProblem(asked, { status, headers: Object.fromEntries(headers), body });
  if (problem)
    throw new Error(`${asked.method} ${asked.path}: ${problem}\n${status} ${body.slice(0, 2_000)}`);
}

function startRuntime(vars: Record<string, string>, environment?: 'production'): Promise<Runtime> {
  // The demo has a zone and a table of letters, and tests need names of any.
  const settings = { ZONES: '', NAME_LETTERS: '', ...vars };
  if (isInProcess) return startInProcess('src/index.ts', settings, environment);
  const prebuiltWorkerDir = inject('bundle');
  const configuration = { configPath: './wrangler.toml', prebuiltWorkerDir, vars: settings };
  const worker = environment ? { ...configuration, env: environment } : configuration;
  return startHarness(worker, environment);
}

async function startHarness(
  worker: TestHarnessOptions['workers'][number],
  environment?: 'production',
): Promise<Runtime> {
  const { compatibility_date, env, ...local } = parse(readFileSync('wrangler.toml', 'utf8'));
  const environments = env as Record<'production', { d1_databases: unknown }>;
  const { d1_databases } = environment ? environments[environment] : local;
  const config = {
    name: 'lender',
    main: 'test/support/lender.ts',
    vars: { TOOL_TOKEN: 'test' },
    compatibility_date,
    d1_databases,
  };
  const harness = createTestHarness({ workers: [worker, { config }] });
  const { url } = await harness.listen();
  const DB = await openLentDatabase(harness.getWorker('lender').fetch, 'test');
  await applyMigrations(DB);
  const bindings = (await harness.getWorker().getEnv()) as Env;
  const ARCHIVE = lentBucket(bindings.ARCHIVE!);
  return {
    url,
    env: { ...bindings, DB, ARCHIVE },
    fetch(url, init) {
      // What stands before the Worker costs as much again, but a body that is refused unread doesn't close its connection.
      const isLarge = String(init?.body).length > maximumBodyBytes;
      return (isLarge ? harness : harness.getWorker()).fetch(url, init as never) as never;
    },
    scheduled: (cron) => harness.getWorker().scheduled({ cron }),
    logs: () => harness.getLogs(),
    close: () => harness.close(),
  };
}

/** The answer of this process, once the work that goes on after it is done. */
export async function answerHere(path: string, init: RequestInit, env: Env): Promise<Response> {
  const works: Promise<unknown>[] = [];
  const context = { waitUntil: (work: Promise<unknown>) => works.push(work) };
  const headers = { 'CF-Connecting-IP': '127.0.0.1', ...(init.headers as object) };
  const sent = { ...init, headers };
  const response = await app.request(path, sent, env, context as unknown as ExecutionContext);
  await Promise.all(works);
  return response;
}

function workerFrom(start: () => Promise<Runtime>, settings?: Partial<Env>) {
  let runtime: Runtime;
  beforeAll(async () => {
    runtime = await start();
  });
  return {
    get env(): Env {
      return runtime.env;
    },
    get url(): URL {
      return runtime.url;
    },
    get db(): Database {
      return openDatabase(runtime.env.DB);
    },
    /** The operator's next command. */
    get operation(): Operation {
      return { db: openDatabase(runtime.env.DB), origin: operator };
    },
    /**
     * A request over HTTP, from 127.0.0.1 unless the test says otherwise. Throws an Error if the answer is not as the
     * OpenAPI document says.
     */
    async fetch(path: string, init?: RequestInit): Promise<Response> {
      const { url, env } = runtime;
      const response = settings
        ? await answerHere(path, init ?? {}, { ...env, ...settings })
        : await runtime.fetch(new URL(path, url).href, init);
      await holdToContract({ method: init?.method ?? 'GET', path }, response);
      return response;
    },
    scheduled: (cron: string) => runtime.scheduled(cron),
    logs: () => runtime.logs(),
  };
}
