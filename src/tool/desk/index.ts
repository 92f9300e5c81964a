import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { readCommand } from '../command.ts';
import { temporaryDirectory } from '../files/temporary.ts';
import { writeOutput } from '../report/output.ts';
import { verb } from '../run.ts';

export const deskCommand = verb(
  readCommand('desk', 'desk', 'desk --remote')
    .description('Show the registry as pages in the browser, until Ctrl-C')
    .option('--no-open', 'print the file to open, and open no browser'),
  async (registry, options) => {
    const { loopbackPages } = await import('./pages.ts');
    const { pageThatOpens, serveDesk } = await import('./server.ts');
    const deployed = options.remote ? registry : undefined;
    using desk = await serveDesk(loopbackPages(options, deployed));
    // Every user of the machine sees the arguments of a browser, so it gets the address from a file of its owner.
    using directory = temporaryDirectory(path.join(tmpdir(), 'registry-desk-'));
    const file = path.join(directory.path, 'desk.html');
    writeFileSync(file, pageThatOpens(desk.url), { mode: 0o600 });
    const { href: url } = pathToFileURL(file);
    // A browser of its own file system, such as a snap, does not see the file.
    const text = `${url}\nor, in a browser that cannot read it: ${desk.url}`;
    await writeOutput(`${options.json ? JSON.stringify({ url }) : text}\n`);
    if (options.open) openBrowser(url);
    await once(process, 'beforeExit');
    return undefined;
  },
);

/** Without a browser, the printed file is enough. */
function openBrowser(url: string): void {
  const programs: Record<string, string> = { darwin: 'open', win32: 'explorer' };
  const program = programs[process.platform] ?? 'xdg-open';
  const browser = spawn(program, [url], { stdio: 'ignore', detached: true });
  browser.on('error', () => {}).unref();
}
