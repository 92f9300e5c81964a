import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { currentTime } from '../../base/time/clock.ts';
import { projectDirectory } from '../../tool/project.ts';
import { collectLines, wranglerEnvironment } from '../../tool/wrangler.ts';
import type { ServerMessage, ServerOptions } from './dev-server.ts';
import { logEntry, readableLine } from './readable-log.ts';

/** Wrangler's lines about each request, which the Worker logs itself, and its table of bindings at each reload. */
const noise = /^(\s*$|\[wrangler:info\]|Your Worker has access to|Binding +Resource|env\.[A-Z_]+ )/;

function print(line: string, stream: NodeJS.WriteStream, isJsonLog = false): void {
  const entry = isJsonLog ? logEntry(line) : readableLine(line, currentTime());
  if (entry === undefined && noise.test(line)) return;
  // Wrangler colours its errors even in a pipe.
  stream.write(`${entry ?? (stream.isTTY ? line : stripVTControlCharacters(line))}\n`);
}

interface Callbacks {
  /** Called when the server is ready. A failure stops the server. */
  prepare: (address: string, desk: string | undefined) => Promise<void>;
  /** Called with the reason of a failed build, and with undefined after a successful one. */
  report: (problem: string | undefined) => void;
}

/**
 * Runs the local server until a signal stops it. Prints its log once it is prepared or has a problem. Returns the exit status: 0 after a
 * signal.
 */
export async function serve(
  { jsonLog, ...options }: ServerOptions & { jsonLog?: boolean | undefined },
  { prepare, report }: Callbacks,
): Promise<number> {
  const server = fork(path.join(import.meta.dirname, 'dev-server.ts'), {
    cwd: projectDirectory,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: wranglerEnvironment,
    execArgv: ['--no-warnings'],
  });
  server.send(options);
  let early: string[] | undefined = [];
  const printEarly = () => {
    for (const line of early ?? []) print(line, process.stderr);
    early = undefined;
  };
  // Wrangler prints a failed build as a whole object, and then as a sentence.
  let isObject = false;
  collectLines(server, (line, isError) => {
    if (isError) isObject = /Process exited with/.test(line) || (isObject && !/ build /.test(line));
    if (isError && isObject) return;
    if (early) early.push(line);
    else print(line, isError ? process.stderr : process.stdout, jsonLog);
  });
  server.on('message', async (message: ServerMessage) => {
    if ('problem' in message) {
      if (message.problem !== null) printEarly();
      return report(message.problem ?? undefined);
    }
    try {
      await prepare(message.address, message.desk);
      early = undefined;
    } catch (error) {
      early?.push(`The data could not be prepared: ${(error as Error).message}`);
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
  if (early) printEarly();
  else console.error('The server ended unexpectedly.');
  return status || 1;
}

/** Calls `stop` when this process gets a signal, or when npm has ended. */
function onStop(stop: (signal: NodeJS.Signals) => void): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  // npm signals only the shell around this process, and the shell does not pass the signal on.
  const parent = process.ppid;
  const isLeftBehind = () => process.ppid !== parent && process.env.npm_lifecycle_event === 'start';
  setInterval(() => isLeftBehind() && stop('SIGTERM'), 500).unref();
}
