import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import path from 'node:path';
import { styleText } from 'node:util';
import './load-fast.ts';
import { forgetServer, noteServer } from './local-server.ts';
import { makeWritableDirectory } from './make-directory.ts';
import { enterUsersDirectory } from './project.ts';
import { prepareDirectory } from './sandbox/directory.ts';
import { readStartOptions, type StartOptions } from './start-options.ts';
import { runWrangler, serve } from './wrangler.ts';

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

async function migrate({ directory, environment }: StartOptions): Promise<void> {
  const env = environment === undefined ? [] : ['--env', environment];
  const args = ['d1', 'migrations', 'apply', 'DB', '--local', '--persist-to', directory, ...env];
  try {
    await runWrangler(args);
  } catch (error) {
    fail(`${(error as Error).message}\n\nThe migrations could not be applied.`);
  }
  step(`Database migrated in ${path.relative('', directory) || '.'}`);
}

interface Started {
  hasDemoUsers: boolean;
  isSandbox: boolean;
}

/** What to open first, and what to paste. */
function welcome(address: string, { hasDemoUsers, isSandbox }: Started): void {
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
  await migrate(options);
  // Loaded late, so that a faulty option is reported without this second.
  const { prepareLocalData } = await import('./local-data.ts');
  const data = await prepareLocalData(directory, { isDemoWanted });
  if (isDemoWanted) step(data.isDemoLoaded ? 'Demo data loaded' : 'Data kept');
  step('Public lists published');
  const token = randomBytes(32).toString('hex');
  const args = [
    isSandbox ? 'src/cli/sandbox/worker.ts' : 'src/cli/local-worker.ts',
    ...['--port', String(port), '--ip', ip, '--persist-to', directory],
    ...['--var', `TOOL_TOKEN:${token}`],
    ...(environment === undefined ? [] : ['--env', environment]),
    ...wranglerArgs,
  ];
  try {
    process.exitCode = await serve(args, {
      isJsonLog,
      welcome(address) {
        noteServer(directory, { address, token, environment });
        welcome(address, { ...data, isSandbox });
      },
    });
  } finally {
    forgetServer(directory);
  }
}

enterUsersDirectory('start');
const options = readStartOptions(process.argv.slice(2));
if (typeof options === 'number') process.exitCode = options;
else await start(options);
