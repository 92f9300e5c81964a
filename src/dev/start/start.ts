import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { styleText } from 'node:util';
import { Hono } from 'hono';
import { checkAfterRelease } from '../../tool/clock.ts';
import { commandLine } from '../../tool/command.ts';
import { serveDesk } from '../../tool/desk/server.ts';
import { databaseFileOf, explainFailure, findDatabaseFile } from '../../tool/local/file.ts';
import { findClockAhead, frontHeader } from '../../tool/local/http-bindings.ts';
import { forgetServer, noteServer, serverEnv } from '../../tool/local/server.ts';
import { listMigrations } from '../../tool/migrate.ts';
import { localDirectory, projectDirectory } from '../../tool/project.ts';
import { readLocalConfig } from '../../tool/wrangler-config.ts';
import { startIdentityService } from '../sandbox/identity-service.ts';
import { cronPath, isLocal, listenInFront } from './front.ts';
import type { StartOptions } from './options.ts';
import { serve } from './serve.ts';

const step = (text: string) => console.log(`  ${styleText('green', '✓')} ${text}`);

function addressOf(ip: string, port: number): string {
  const host = ['0.0.0.0', '::'].includes(ip) ? 'localhost' : ip;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

const directoryOption = (directory: string) =>
  directory === localDirectory(undefined) ? undefined : directory;

function welcome(
  address: string,
  staffDesk: string | undefined,
  hasDemoUsers: boolean,
  options: StartOptions,
): void {
  const { isSandbox, ip, env, directory } = options;
  const desk = commandLine(['desk'], { persistTo: directoryOption(directory), env });
  const bold = (text: string) => styleText('bold', text);
  const warning = `Others can reach ${ip}: the demo's logins and the local key for registrants' tokens are public, so they can read and change every contact; in a sandbox, they can move its clock and reset it.`;
  const demo = `
  Demo registrars  ${bold('alpha:alpha-demo-secret')}   ${bold('beta:beta-demo-secret')}
  Demo registrant  ${bold('EE 38001085718')}, Jaan Tamm
  Demo system      ${bold('epp-demo-key')}
`;
  const contacts = `-u alpha:alpha-demo-secret '${address}/repp/v1/contacts?limit=3'`;
  const sandbox = `
  A sandbox: the first call moves its clock, the second brings the demo data and the real time back.

  curl ${address}/sandbox/clock --json '{"advance": "P8D"}'
  curl -X POST ${address}/sandbox/reset
`;
  console.log(`${isLocal(ip) ? '' : `\n  ${styleText('yellow', warning)}\n`}
  Registry Edge    ${bold(`${address}/`)}
  API reference    ${bold(`${address}/docs/`)}
  Operator's desk  ${bold(desk)}${staffDesk ? `\n  Staff's desk     ${bold(staffDesk)} (works once)` : ''}
${hasDemoUsers ? demo : ''}
  curl ${hasDemoUsers ? contacts : `${address}/repp/v1/auctions`}
${isSandbox ? sandbox : ''}
  Ctrl-C stops the server.
`);
}

/** The settings of the registry. */
function deskSettings({ env }: StartOptions): Record<string, string> {
  const vars = readLocalConfig(env).vars as Record<string, string>;
  return { ...vars, ENVIRONMENT: 'local' };
}

/** The pages of the Worker at the address, which answers nobody else. */
function proxyPages(address: string, token: string): Hono {
  return new Hono().all('*', async ({ req }) => {
    const { pathname, search } = new URL(req.url);
    const headers = { [frontHeader]: token, 'Accept-Encoding': 'identity' };
    return fetch(address + pathname + search, { method: req.method, headers, redirect: 'manual' });
  });
}

/** The schema that the database was migrated to at the start. */
const readSchema = () =>
  [readFileSync(path.join(projectDirectory, 'drizzle/schema.ts')), ...listMigrations()].join('\n');

const restart =
  'The schema or its migrations have changed: run npm run migration if tables have, then restart npm start.';

/** Throws an Error that names the first file that cannot be written. */
function expectWritable(directory: string): void {
  const directories = [directory, path.join(projectDirectory, '.wrangler')];
  const databases = globSync('v3/**/*.sqlite', { cwd: directory });
  try {
    for (const name of directories) mkdirSync(name, { recursive: true });
    const files = databases.map((name) => path.join(directory, name));
    for (const name of [...directories, ...files]) accessSync(name, constants.W_OK);
  } catch (error) {
    throw new Error(`npm start cannot write to a file that it needs: ${(error as Error).message}`);
  }
}

/** Runs the local server until a signal stops it. Throws what it cannot start for, for people. */
export async function start(options: StartOptions): Promise<void> {
  const { ip, port, directory, env: environment, demo: isDemoWanted, isSandbox } = options;
  // The runtime refuses it, and wrangler waits for the runtime.
  checkAfterRelease(
    readLocalConfig(environment).compatibilityDate,
    'so nothing was started: set it',
  );
  expectWritable(directory);
  findDatabaseFile(directory, environment);
  const [token, frontToken] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
  // Takes the port before all other work.
  const front = await listenInFront(ip, port, frontToken, findLoss).catch((error) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new Error(
      `Port ${port} is in use. Choose another: npm start -- --port 0 takes a free one.`,
    );
  });
  const service = addressOf(ip, front.port);
  const secrets = {
    ...(isSandbox && (await startIdentityService(() => service))),
    ...options.var,
    TOOL_TOKEN: token,
    FRONT_TOKEN: frontToken,
  };
  await using opened = new AsyncDisposableStack();
  // Loads in parallel with wrangler.
  const loading = import('./data.ts');
  let isNoted = false;
  let isLost = false;
  function findLoss() {
    if (!isNoted || existsSync(databaseFileOf(directory, environment))) return undefined;
    const loss = `The data in ${directory} are gone: start again.`;
    if (!isLost) console.error(loss);
    isLost = true;
    return loss;
  }
  const schema = readSchema();
  const report = (problem: string | undefined) => {
    const isOutdated = problem === undefined && readSchema() !== schema;
    if (isOutdated) console.error(restart);
    front.report(isOutdated ? restart : problem);
  };
  try {
    process.exitCode = await serve(
      { ...options, secrets, desk: options.desk && deskSettings(options) },
      { prepare, report },
    );
  } finally {
    if (isNoted) forgetServer(directory);
  }

  async function prepare(address: string, desk: string | undefined): Promise<void> {
    const server = { address, token, environment, settings: options.var };
    const { prepareLocalData } = await loading;
    const preparing = prepareLocalData(serverEnv(server), { isDemoWanted });
    const data = await preparing.catch((error) => {
      throw explainFailure(error, directory, environment);
    });
    step(`Database migrated in ${path.relative('', directory) || '.'}`);
    if (isDemoWanted) step(data.isDemoLoaded ? 'Demo data loaded' : 'Data kept');
    // A sandbox's clock starts its days.
    if (data.isDemoLoaded && !isSandbox) await fetch(`${address}${cronPath}?cron=1+0+*+*+*`);
    step('Public lists published');
    // Two requests at once would start the sandbox twice.
    if (isSandbox) await findClockAhead(address, token, 60_000);
    front.open(address);
    noteServer(directory, { ...server, service });
    isNoted = true;
    const staff = desk && opened.use(await serveDesk(proxyPages(desk, frontToken))).url;
    welcome(service, staff, data.hasDemoUsers, options);
  }
}
