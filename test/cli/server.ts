import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** `npm start -- ...options` on any free port, without npm around it; resolves when it answers requests. */
export async function startServer(...options: string[]) {
  const child = spawn(process.execPath, ['src/cli/start/index.ts', '--port', '0', ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1' },
  });
  let printed = '';
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      const [, address] = /^ +Registry Edge +(\S+)\/\n[\s\S]*Ctrl-C/m.exec(printed) ?? [];
      if (address) resolve(address);
    });
  }
  const ended = once(child, 'close').then(([status]) => status as number | null);
  ended.then((status) => reject(new Error(`npm start ended with status ${status}: ${printed}`)));
  const address = await promise;
  return {
    ...{ child, address, ended, printed: () => printed },
    async stop(signal: NodeJS.Signals = 'SIGTERM') {
      child.kill(signal);
      return ended;
    },
  };
}
