import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { reading } from '../command.ts';
import { writeOutput } from '../report/output.ts';
import { verb } from '../run.ts';

export const deskCommand = verb(
  reading('desk', 'desk', 'desk --remote')
    .description('Show the registry as pages in the browser, until Ctrl-C')
    .option('--no-open', 'print the address, and open no browser'),
  async (registry, options) => {
    const { deskPages } = await import('./desk.tsx');
    const { serveDesk } = await import('./server.ts');
    const deployed = options.remote ? registry : undefined;
    using desk = await serveDesk(deskPages(options, deployed));
    const { url } = desk;
    await writeOutput(options.json ? `${JSON.stringify({ url })}\n` : `${url}\n`);
    if (options.open) openBrowser(url);
    await once(process, 'beforeExit');
    return undefined;
  },
);

/** Without a browser, the printed address is enough. */
function openBrowser(url: string): void {
  const programs: Record<string, string> = { darwin: 'open', win32: 'explorer' };
  const program = programs[process.platform] ?? 'xdg-open';
  const browser = spawn(program, [url], { stdio: 'ignore', detached: true });
  browser.on('error', () => {}).unref();
}
