import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { getCompileCacheDir } from 'node:module';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { keepCompiled, projectDirectory } from './project.ts';

// Prevents a request to Cloudflare about this machine's location at each start.
process.env.CLOUDFLARE_CF_FETCH_ENABLED ??= 'false';
// Wrangler loads slowly without Node's cache of compiled code.
keepCompiled();
export const wranglerEnvironment = {
  ...process.env,
  WRANGLER_SEND_METRICS: 'false',
  // They would expose the data to anyone who reaches the server.
  X_LOCAL_EXPLORER: 'false',
  X_LOCAL_OBSERVABILITY: 'false',
  NODE_COMPILE_CACHE: getCompileCacheDir(),
};

/**
 * Ends a child without its parent: the channel closes, and the child gets another parent. Wrangler also closes the channel at its own end.
 */
const endWithParent = `data:text/javascript,${encodeURIComponent(`
  const parent = process.ppid;
  const endOrphan = () => process.ppid !== parent && process.kill(process.pid, 'SIGTERM');
  process.on('disconnect', () => setTimeout(endOrphan, 100).unref());
  process.channel?.unref();
`)}`;

/** The build command reads settings too, and does not see `--env`. */
function environmentOf(args: readonly string[]) {
  const place = args.indexOf('--env');
  return place === -1 ? {} : { CLOUDFLARE_ENV: args[place + 1] };
}

export function collectLines(
  child: ChildProcess,
  take: (line: string, isError: boolean) => void,
): void {
  const read = (stream: Readable | null, isError: boolean) =>
    createInterface({ input: stream as Readable }).on('line', (line) => take(line, isError));
  read(child.stdout, false);
  read(child.stderr, true);
}

/**
 * Returns standard output. Throws an Error with all output if wrangler fails. Otherwise passes standard error on, which has
 * wrangler's warnings.
 */
export async function runWrangler(
  args: readonly string[],
  input?: string,
  warn?: (text: string) => void,
): Promise<string> {
  const script = path.join(projectDirectory, 'node_modules/wrangler/wrangler-dist/cli.js');
  const words = ['--no-warnings', '--import', endWithParent, script, ...args];
  const child = spawn(process.execPath, words, {
    cwd: projectDirectory,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', 'ipc'],
    // Its answer is read, whatever the operator asks wrangler to print.
    env: { ...wranglerEnvironment, ...environmentOf(args), WRANGLER_LOG: 'log' },
  });
  const printed: string[] = [];
  const answer: string[] = [];
  const warnings: string[] = [];
  collectLines(child, (line, isError) => {
    printed.push(line);
    (isError ? warnings : answer).push(line);
  });
  child.stdin?.end(input);
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(printed.join('\n'));
  const warning = warnings.join('\n').trim();
  if (warning !== '') warn?.(warning);
  return answer.join('\n');
}
