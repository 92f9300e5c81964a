import { once } from 'node:events';
import { createServer } from 'node:net';
import path from 'node:path';
import { parseArgs, styleText } from 'node:util';
import { runWrangler, serve } from './wrangler.ts';

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
const directory = path.resolve(String(options['persist-to']));

function fail(message: string): never {
  console.error(message);
  process.exit(1);
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
  try {
    await runWrangler(['d1', 'migrations', 'apply', 'DB', '--local', '--persist-to', directory]);
  } catch (error) {
    fail(`${(error as Error).message}\n\nThe migrations could not be applied.`);
  }
  step(`Database migrated in ${path.relative('', directory) || '.'}`);
}

function welcome(address: string, hasDemo: boolean): void {
  const bold = (text: string) => styleText('bold', text);
  console.log(`\n  Registry Edge listens on ${bold(address)}; Ctrl-C stops it.`);
  const contacts = `-u alpha:alpha-demo-secret '${address}/repp/v1/contacts?limit=3'`;
  if (hasDemo) {
    console.log(`
  Demo registrars  ${bold('alpha:alpha-demo-secret')}   ${bold('beta:beta-demo-secret')}
  Demo registrant  ${bold('EE 38001085718')}, Jaan Tamm`);
  }
  console.log(`
  To try:

    curl -i '${address}/repp/v1/retained_domains?type=disputed'
    curl ${hasDemo ? contacts : `${address}/repp/v1/auctions`}
    curl ${address}/api/v1/auctions
`);
}

/** The options for wrangler dev: those given, and the port in any case. */
function passedOptions(): string[] {
  const given = process.argv.slice(2).filter((argument) => !/^--(no-)?demo$/.test(argument));
  const hasPort = given.some((argument) => /^--port(=|$)/.test(argument));
  return hasPort ? given : ['--port', String(port), ...given];
}

async function start(): Promise<void> {
  await checkPort();
  await migrate();
  // Loaded late: what is wrong with an option is told without the second that this takes.
  const { prepareLocalData } = await import('./local-data.ts');
  const data = await prepareLocalData(directory, options.demo === true);
  if (options.demo) step(data.isDemoLoaded ? 'Demo data loaded' : 'Data kept');
  step('Public lists published');
  process.exitCode = await serve(passedOptions(), (address) => welcome(address, data.hasDemoUsers));
}

if (options.help) console.log(usage);
else await start();
