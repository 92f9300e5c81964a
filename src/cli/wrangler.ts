import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { getCompileCacheDir } from 'node:module';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { currentTime } from '../time/clock.ts';
import type { ServerMessage, ServerOptions } from './dev-server.ts';
import { keepCompiled, projectDirectory } from './project.ts';
import { logEntry, paintFor, readableLine } from './readable-log.ts';

// Otherwise each start asks Cloudflare where this machine is.
process.env.CLOUDFLARE_CF_FETCH_ENABLED ??= 'false';
// Wrangler is slow to load unless Node keeps what it has compiled.
keepCompiled();
const environment = {
  ...process.env,
  WRANGLER_SEND_METRICS: 'false',
  // They would let whoever reaches the local server at its data.
  X_LOCAL_EXPLORER: 'false',
  X_LOCAL_OBSERVABILITY: 'false',
  NODE_COMPILE_CACHE: getCompileCacheDir(),
};

/**
 * Ends a child whose parent is gone, however it ended: the channel closes, and the child gets another parent. Wrangler
 * closes the channel as well, when it is done.
 */
const endWithParent = `data:text/javascript,${encodeURIComponent(`
  const parent = process.ppid;
  const endOrphan = () => process.ppid !== parent && process.kill(process.pid, 'SIGTERM');
  process.on('disconnect', () => setTimeout(endOrphan, 100).unref());
  process.channel?.unref();
`)}`;

function spawnWrangler(args: readonly string[], input?: string): ChildProcess {
  const script = path.join(projectDirectory, 'node_modules/wrangler/wrangler-dist/cli.js');
  return spawn(process.execPath, ['--no-warnings', '--import', endWithParent, script, ...args], {
    cwd: projectDirectory,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', 'ipc'],
    env: environment,
  });
}

/** Calls `take` with each line that the child prints. */
function collect(child: ChildProcess, take: (line: string, isError: boolean) => void): void {
  const read = (stream: Readable | null, isError: boolean) =>
    createInterface({ input: stream as Readable }).on('line', (line) => take(line, isError));
  read(child.stdout, false);
  read(child.stderr, true);
}

/**
 * Runs a wrangler command, with an input if it reads one, and returns its standard output. Throws an Error with all of
 * its output if it fails.
 */
export async function runWrangler(args: readonly string[], input?: string): Promise<string> {
  const child = spawnWrangler(args, input);
  const printed: string[] = [];
  const answer: string[] = [];
  collect(child, (line, isError) => {
    printed.push(line);
    if (!isError) answer.push(line);
  });
  child.stdin?.end(input);
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(printed.join('\n'));
  return answer.join('\n');
}

/** Lines that wrangler prints and nobody needs. */
const noise = [
  /^\s*$/,
  /^\[wrangler:info\] (Ready on|[A-Z]+ \/|QUEUE )/,
  /^⎔ (Connection status updated|Reloading local server)/,
  /^Your Worker has access to the following bindings:/,
  /^Binding +Resource +Mode/,
  /^env\.[A-Z_]+ \(.*local$/,
  /Starting local server/,
  /^\[custom build\]/,
  /Parsed \d+ valid header rule/,
  /Scheduled Workers are not automatically triggered/,
  /^ {2}(To manually trigger a scheduled event|For more details, see)/,
  /^ {4}curl "http.*\/scheduled"$/,
];

function print(line: string, stream: NodeJS.WriteStream, isJsonLog: boolean): void {
  const paint = paintFor(stream);
  const entry = isJsonLog ? logEntry(line) : readableLine(line, { now: currentTime, paint });
  if (entry === undefined && noise.some((pattern) => pattern.test(line))) return;
  // Wrangler colours its errors even in a pipe.
  const isColoured = paint('dim', '.') !== '.';
  stream.write(`${entry ?? (isColoured ? line : stripVTControlCharacters(line))}\n`);
}

/**
 * Runs the local server until it is told to stop, and prints its log once `prepare` is done; if that fails, the server
 * ends. Returns the exit status, 0 if it stopped because it was told to.
 */
export async function serve(
  options: ServerOptions,
  { isJsonLog, prepare }: { isJsonLog: boolean; prepare: (address: string) => Promise<void> },
): Promise<number> {
  const server = fork(path.join(import.meta.dirname, 'dev-server.ts'), {
    cwd: projectDirectory,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: environment,
    execArgv: ['--no-warnings'],
  });
  server.send(options);
  // Printed only if the server does not start.
  const early: string[] = [];
  let isReady = false;
  collect(server, (line, isError) => {
    if (!isReady) early.push(line);
    else print(line, isError ? process.stderr : process.stdout, isJsonLog);
  });
  let refusal: string | undefined;
  server.on('message', async (message: ServerMessage) => {
    if ('refusal' in message) {
      refusal = message.refusal;
      return;
    }
    try {
      await prepare(message.address);
      isReady = true;
    } catch (error) {
      early.push(`The data could not be prepared: ${(error as Error).message}`);
      server.kill();
    }
  });
  let isStopped = false;
  onStop((signal) => {
    isStopped = true;
    server.kill(signal);
  });
  const [status] = await once(server, 'close');
  if (isStopped) return 0;
  if (refusal !== undefined) {
    console.error(refusal);
    return 1;
  }
  if (!isReady) console.error(early.join('\n'));
  console.error('The server ended unexpectedly.');
  return status || 1;
}

/** Calls `stop` once, when this process is told to end or npm leaves it behind. */
function onStop(stop: (signal: NodeJS.Signals) => void): void {
  let isCalled = false;
  const call = (signal: NodeJS.Signals) => {
    if (!isCalled) stop(signal);
    isCalled = true;
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, call);
  // npm signals only the shell around this process, and the shell does not pass it on.
  const parent = process.ppid;
  const isLeftBehind = () => process.ppid !== parent && process.env.npm_lifecycle_event === 'start';
  setInterval(() => isLeftBehind() && call('SIGTERM'), 500).unref();
}
