import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** `npm start -- ...options`, without npm around it. */
export const runServer = (...options: string[]) => runServerIn('.', {}, ...options);

/** The same in a checkout of its own, with other variables of the environment. */
export function runServerIn(
  checkout: string,
  environment: Record<string, string | undefined>,
  ...options: string[]
) {
  const child = spawn(process.execPath, ['src/dev/start/index.ts', ...options], {
    cwd: checkout,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', ...environment },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  const ended = once(child, 'close').then(([status]) => status as number | null);
  return {
    ...{ child, ended, printed: () => printed },
    async stop(signal: NodeJS.Signals = 'SIGTERM') {
      child.kill(signal);
      return ended;
    },
  };
}

/** The same on any free port; resolves when it answers requests. */
export async function startServer(...options: string[]) {
  return waitFor(runServer('--port', '0', ...options));
}

/** Resolves when the server answers requests. */
export async function waitFor(server: ReturnType<typeof runServerIn>) {
  const { child, ended, printed } = server;
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', () => {
      const [, address] = /^ +Registry Edge +(\S+)\/\n[\s\S]*Ctrl-C/m.exec(printed()) ?? [];
      if (address) resolve(address);
    });
  }
  ended.then((status) => reject(new Error(`npm start ended with status ${status}: ${printed()}`)));
  return { ...server, address: await promise };
}
