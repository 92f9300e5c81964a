import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** `npm start -- ...options`, without npm around it. */
export function runServer(...options: string[]) {
  const child = spawn(process.execPath, ['src/tool/start/index.ts', ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1' },
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
  const server = runServer('--port', '0', ...options);
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
