import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { parseArgs, styleText } from 'node:util';
import { getPlatformProxy } from 'wrangler';
import { openDatabase } from '../database.ts';
import type { Env } from '../env.ts';
import { publish } from '../public-list/publish.ts';
import { listNames } from '../public-list/source.ts';
import { demoUsers, loadDemoData } from './demo/load.ts';

const usage = `Starts the registry on this machine.

  npm start -- [options]

  --port PORT        where to listen (8787); 0 takes any free port
  --ip ADDRESS       on which address (localhost)
  --persist-to DIR   where the data is kept (.wrangler/state)
  --no-demo          leaves an empty database empty

Every other option goes to wrangler dev as it is. The data of an earlier start is kept.`;

const { values: options } = parseArgs({
  options: {
    port: { type: 'string', default: '8787' },
    ip: { type: 'string', default: 'localhost' },
    'persist-to': { type: 'string', default: '.wrangler/state' },
    demo: { type: 'boolean', default: true },
    help: { type: 'boolean', short: 'h' },
  },
  allowNegative: true,
  // What is not known here is wrangler's.
  strict: false,
});
const port = Number(options.port);
const ip = String(options.ip);
const directory = String(options['persist-to']);

const wranglerPath = fileURLToPath(
  import.meta.resolve('../../node_modules/wrangler/bin/wrangler.js'),
);

const environment = {
  ...process.env,
  WRANGLER_SEND_METRICS: 'false',
  // Otherwise each start asks Cloudflare where this machine is.
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
};
Object.assign(process.env, environment, { WRANGLER_LOG: 'error' });

function wrangler(args: string[]): ChildProcess {
  return spawn(process.execPath, [wranglerPath, ...args], {
    // The last one is how wrangler tells that it is ready.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: environment,
  });
}

function fail(message: string, status = 1): never {
  console.error(message);
  process.exit(status);
}

function step(text: string): void {
  console.log(`  ${styleText('green', '✓')} ${text}`);
}

/** Before anything is done: wrangler would take another port in silence. */
async function checkPort(): Promise<void> {
  if (!(port >= 0 && port <= 65535)) fail(`--port must be 0 to 65535, not ${options.port}`);
  const probe = createServer().listen(port, ip);
  try {
    await once(probe, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE') fail(`Cannot listen on ${ip}, port ${port}: ${code}`);
    fail(
      `Port ${port} is in use. Stop what listens there, or take another:\n\n` +
        `  npm start -- --port ${port + 1}`,
    );
  }
  probe.close();
  await once(probe, 'close');
}

async function migrate(): Promise<void> {
  const target = ['DB', '--local', '--persist-to', directory];
  const child = wrangler(['d1', 'migrations', 'apply', ...target]);
  const printed: string[] = [];
  collect(child, (line) => printed.push(line));
  const [status] = await once(child, 'close');
  if (status !== 0) fail(`${printed.join('\n')}\n\nThe migrations could not be applied.`);
  step(`Database migrated in ${directory}`);
}

async function fill(): Promise<void> {
  const platform = await getPlatformProxy<Env>({
    // wrangler dev keeps its data one level below the directory that it is given.
    persist: { path: resolve(directory, 'v3') },
    remoteBindings: false,
  });
  try {
    if (options.demo) {
      const isLoaded = await loadDemoData(platform.env);
      step(isLoaded ? 'Demo data loaded' : 'Data kept');
    }
    const db = openDatabase(platform.env.DB);
    const written = await publish(db, platform.env.LISTS, listNames, () => new Date());
    step(written.length > 0 ? 'Public lists published' : 'Public lists up to date');
  } finally {
    await platform.dispose();
  }
}

/** What wrangler says beside the Worker's own log, and the reader has no use for. */
const noise = [
  /^\s*$/,
  /^\[wrangler:info\] (Ready on|[A-Z]+ \/)/,
  /Starting local server/,
  /Scheduled Workers are not automatically triggered/,
  /^ {2}(To manually trigger a scheduled event|For more details, see)/,
  /^ {4}curl "http.*\/scheduled"$/,
];

async function serve(): Promise<void> {
  const passed = process.argv.slice(2).filter((argument) => !/^--(no-)?demo$/.test(argument));
  const server = wrangler([
    ...['dev', '--local', '--show-interactive-dev-session=false'],
    ...(passed.some((argument) => /^--port(=|$)/.test(argument)) ? [] : ['--port', String(port)]),
    ...passed,
  ]);
  // Until it is ready, what it prints is of interest only if it never gets there.
  const early: string[] = [];
  let isReady = false;
  collect(server, (line, isError) => {
    if (!isReady) early.push(line);
    else if (!noise.some((pattern) => pattern.test(line))) {
      (isError ? process.stderr : process.stdout).write(`${line}\n`);
    }
  });
  server.on('message', (message) => {
    const { event, ip: host, port } = JSON.parse(String(message));
    if (event !== 'DEV_SERVER_READY') return;
    isReady = true;
    welcome(`http://${host}:${port}`);
  });
  let isStopping = false;
  onStop((signal) => {
    isStopping = true;
    server.kill(signal);
  });
  const [status] = await once(server, 'close');
  if (isStopping) process.exit(0);
  if (!isReady) console.error(early.join('\n'));
  fail('The server has ended by itself.', status || 1);
}

/** Calls `stop` once, when this process is told to end, or is left behind by npm. */
function onStop(stop: (signal: NodeJS.Signals) => void): void {
  let isCalled = false;
  const call = (signal: NodeJS.Signals) => {
    if (!isCalled) stop(signal);
    isCalled = true;
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, call);
  // npm tells the shell around this process alone to terminate, and a shell keeps that to itself.
  const parent = process.ppid;
  const isLeftBehind = () => process.ppid !== parent && process.env.npm_lifecycle_event === 'start';
  setInterval(() => isLeftBehind() && call('SIGTERM'), 500).unref();
}

/** Hands on each line that the child prints. */
function collect(child: ChildProcess, take: (line: string, isError: boolean) => void): void {
  const read = (stream: Readable | null, isError: boolean) =>
    createInterface({ input: stream! }).on('line', (line) => take(line, isError));
  read(child.stdout, false);
  read(child.stderr, true);
}

function welcome(address: string): void {
  const bold = (text: string) => styleText('bold', text);
  console.log(`\n  Registry Edge listens on ${bold(address)}; Ctrl-C stops it.`);
  if (options.demo) {
    const logins = demoUsers.map(({ username, secret }) => bold(`${username}:${secret}`));
    console.log(`\n  Demo registrars  ${logins.join('   ')}`);
    console.log(`  Demo registrant  ${bold('EE 38001085718')}, Jaan Tamm`);
  }
  const [alpha] = demoUsers;
  console.log(`\n  To try:\n
    curl -i '${address}/repp/v1/retained_domains?type=disputed'
    curl -u ${alpha!.username}:${alpha!.secret} '${address}/repp/v1/contacts?limit=3'
    curl ${address}/api/v1/auctions\n`);
}

if (options.help) {
  console.log(usage);
} else {
  await checkPort();
  await migrate();
  await fill();
  await serve();
}
