import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { styleText } from 'node:util';
import { findClockAhead } from '../local/http-bindings.ts';
import { forgetServer, noteServer, serverEnv } from '../local/server.ts';
import { enterUsersDirectory } from '../project.ts';
import { startIdentityService } from '../sandbox/identity-service.ts';
import { cronPath, type Front, isLocal, listenInFront } from './front.ts';
import { readStartOptions, type StartOptions } from './options.ts';
import { serve } from './serve.ts';

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

function step(text: string): void {
  console.log(`  ${styleText('green', '✓')} ${text}`);
}

/** Takes the port before anything else is done. */
async function takePort({ port, ip, otherArgs }: StartOptions, token: string): Promise<Front> {
  try {
    return await listenInFront(ip, port, token);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE') fail(`Cannot listen on ${ip}, port ${port}: ${code}`);
    const command = ['npm start --', ...otherArgs, '--port', port + 1].join(' ');
    fail(`Port ${port} is in use. Stop what listens there, or use another:\n\n  ${command}`);
  }
}

/**
 * Makes the directory and those above it, and returns why it cannot be written to, if it cannot. It makes one after the
 * other, because Node's recursive mkdir does not return below some directories, such as /proc.
 */
function makeWritableDirectory(directory: string): string | undefined {
  const missing: string[] = [];
  let existing = directory;
  while (!existsSync(existing)) {
    missing.unshift(existing);
    existing = path.dirname(existing);
  }
  if (!statSync(existing).isDirectory()) {
    return existing === directory ? 'it is a file' : `${existing} is a file`;
  }
  try {
    for (const each of missing) mkdirSync(each);
    accessSync(directory, constants.W_OK);
    return undefined;
  } catch (error) {
    return `it cannot be written to (${(error as NodeJS.ErrnoException).code})`;
  }
}

/** The address that a program on this machine calls. */
function addressOf(ip: string, port: number): string {
  const host = ['0.0.0.0', '::'].includes(ip) ? 'localhost' : ip;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function welcome(
  address: string,
  { hasDemoUsers, isSandbox }: { hasDemoUsers: boolean; isSandbox: boolean },
): void {
  const bold = (text: string) => styleText('bold', text);
  console.log(`
  Registry Edge    ${bold(`${address}/`)}
  API reference    ${bold(`${address}/docs/`)}`);
  if (hasDemoUsers) {
    console.log(`
  Demo registrars  ${bold('alpha:alpha-demo-secret')}   ${bold('beta:beta-demo-secret')}
  Demo registrant  ${bold('EE 38001085718')}, Jaan Tamm`);
  }
  const contacts = `-u alpha:alpha-demo-secret '${address}/repp/v1/contacts?limit=3'`;
  console.log(`
  curl ${hasDemoUsers ? contacts : `${address}/repp/v1/auctions`}`);
  if (isSandbox) {
    console.log(`
  A sandbox: the first call moves its clock, the second brings the demo data and the real time back.

  curl ${address}/sandbox/clock --json '{"advance": "P8D"}'
  curl -X POST ${address}/sandbox/reset`);
  }
  console.log('\n  Ctrl-C stops the server.\n');
}

function exposureWarning(ip: string): string {
  return (
    `Others can reach ${ip}: the demo's logins and the local key for registrants' tokens are public, so they can ` +
    'read and change every contact; in a sandbox, they can move its clock and reset it.'
  );
}

async function start(options: StartOptions): Promise<void> {
  const { ip, directory, environment, limits, settings, isDemoWanted, isSandbox, isJsonLog } =
    options;
  const problem = makeWritableDirectory(directory);
  if (problem) fail(`--persist-to ${directory}: ${problem}`);
  const [token, frontToken] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
  const front = await takePort(options, frontToken);
  const service = addressOf(ip, front.port);
  const serving = serve(
    {
      isSandbox,
      environment,
      limits,
      directory,
      secrets: {
        ...(isSandbox && (await startIdentityService(service))),
        ...settings,
        TOOL_TOKEN: token,
        FRONT_TOKEN: frontToken,
      },
    },
    { isJsonLog, prepare },
  );
  let isNoted = false;
  // Loads while wrangler starts.
  const loading = import('./data.ts');
  try {
    process.exitCode = await serving;
  } finally {
    if (isNoted) forgetServer(directory);
  }

  /** Prepares the data through the server that has just started, and lets requests through. */
  async function prepare(address: string): Promise<void> {
    const server = { address, token, environment, settings };
    const { prepareLocalData } = await loading;
    const data = await prepareLocalData(serverEnv(server), { isDemoWanted });
    step(`Database migrated in ${path.relative('', directory) || '.'}`);
    if (isDemoWanted) step(data.isDemoLoaded ? 'Demo data loaded' : 'Data kept');
    // A sandbox gets its days from its clock.
    if (data.isDemoLoaded && !isSandbox) await fetch(`${address}${cronPath}?cron=1+0+*+*+*`);
    step('Public lists published');
    // Two requests at once would begin the sandbox twice.
    if (isSandbox) await findClockAhead(address, token, 60_000);
    front.open(address);
    noteServer(directory, { ...server, service });
    isNoted = true;
    if (!isLocal(ip)) console.log(`\n  ${styleText('yellow', exposureWarning(ip))}`);
    welcome(service, { ...data, isSandbox });
  }
}

enterUsersDirectory('start');
const options = readStartOptions(process.argv.slice(2));
if (typeof options === 'number') process.exitCode = options;
else await start(options);
