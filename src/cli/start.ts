import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { styleText } from 'node:util';
import { findClockAhead } from './http-bindings.ts';
import { forgetServer, noteServer, serverEnv } from './local-server.ts';
import { enterUsersDirectory } from './project.ts';
import { prepareDirectory } from './sandbox/directory.ts';
import { readStartOptions, type StartOptions } from './start-options.ts';
import { serve } from './wrangler.ts';

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

function step(text: string): void {
  console.log(`  ${styleText('green', '✓')} ${text}`);
}

/** Checked before anything else, because wrangler would silently take another port. */
async function checkPort({ port, ip, otherArgs }: StartOptions): Promise<void> {
  const probe = createServer().listen(port, ip);
  try {
    await once(probe, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE') fail(`Cannot listen on ${ip}, port ${port}: ${code}`);
    const command = ['npm start --', ...otherArgs, '--port', port + 1].join(' ');
    fail(`Port ${port} is in use. Stop what listens there, or use another:\n\n  ${command}`);
  }
  probe.close();
  await once(probe, 'close');
}

/**
 * Makes the directory and those above it, and returns why it can't be written to, if it can't. Step by step: below
 * some directories, such as /proc, Node's recursive mkdir does not return.
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

/** Answers requests only after it was opened: the local Worker asks it before its first answer. */
async function newGate() {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const server = createHttpServer(async (_, response) => {
    await opened;
    response.end();
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, open };
}

/** Says which page to open first, and which lines to paste. */
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

async function start(options: StartOptions): Promise<void> {
  const { port, ip, directory, environment, isDemoWanted, isSandbox, isJsonLog, wranglerArgs } =
    options;
  const refuse = (problem: string) => fail(`--persist-to ${directory}: ${problem}`);
  const problem = makeWritableDirectory(directory);
  if (problem) refuse(problem);
  await checkPort(options);
  const otherUse = await prepareDirectory(directory, { isSandbox });
  if (otherUse) refuse(otherUse);
  const token = randomBytes(32).toString('hex');
  const gate = await newGate();
  const args = [
    isSandbox ? 'src/cli/sandbox/worker.ts' : 'src/cli/local-worker.ts',
    ...['--port', String(port), '--ip', ip, '--persist-to', directory],
    ...['--var', `TOOL_TOKEN:${token}`, '--var', `GATE:${gate.address}`],
    ...(environment === undefined ? [] : ['--env', environment]),
    ...wranglerArgs,
  ];
  const serving = serve(args, { isJsonLog, prepare });
  // Loaded while wrangler starts.
  const loading = import('./local-data.ts');
  try {
    process.exitCode = await serving;
  } finally {
    forgetServer(directory);
  }

  /** Prepares the data through the server that has just started, and lets requests through. */
  async function prepare(address: string): Promise<void> {
    const server = { address, token, environment };
    const { prepareLocalData } = await loading;
    const data = await prepareLocalData(serverEnv(server), { isDemoWanted });
    step(`Database migrated in ${path.relative('', directory) || '.'}`);
    if (isDemoWanted) step(data.isDemoLoaded ? 'Demo data loaded' : 'Data kept');
    step('Public lists published');
    // A sandbox begins once: the first two requests would both begin it.
    if (isSandbox) await findClockAhead(address, token);
    gate.open();
    noteServer(directory, server);
    welcome(address, { ...data, isSandbox });
  }
}

enterUsersDirectory('start');
const options = readStartOptions(process.argv.slice(2));
if (typeof options === 'number') process.exitCode = options;
else await start(options);
