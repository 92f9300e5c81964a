import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Command, CommanderError, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { configPath, projectDirectory } from '../project.ts';
import { isAgreed } from '../report/ask.ts';
import { runWrangler } from '../wrangler.ts';
import { readDeployConfig } from './config.ts';
import { type Deployment, printPlan, runSteps } from './deployment.ts';
import { abortSteps, gradualSteps } from './gradual.ts';
import { listLeft, steps } from './steps.ts';

const command = new Command('npm run deploy --')
  .description(
    'Deploy the registry: create what is missing in the account, migrate, deploy, publish',
  )
  .option('--env <name>', 'an environment in wrangler.toml: production or staging', 'production')
  .addOption(
    new Option(
      '--jurisdiction <place>',
      'where the database, the queue and the backups run and stay, if they are created now; it cannot be changed later',
    )
      .choices(['eu', 'none'])
      .default('eu' as const),
  )
  .option(
    '--gradual <percent>',
    'give the new build so many percent of the requests, compare it with the old one, and ask; again to change the share',
    parseShare,
  )
  .addOption(
    new Option(
      '--abort',
      'take a gradual deployment back: the old build answers all requests',
    ).conflicts('gradual'),
  )
  .option(
    '--dry-run',
    'print every step and what is there already, as far as the login shows it; change nothing',
  )
  .allowExcessArguments(false)
  .showHelpAfterError('(npm run deploy -- --help shows the options)')
  .exitOverride();

function parseShare(text: string): number {
  const share = Number(text);
  if (Number.isInteger(share) && share >= 1 && share <= 99) return share;
  throw new InvalidArgumentError('It must be a whole number from 1 to 99.');
}

/** Calls the platform about the account, with wrangler's own login. */
async function callAccount(path: string, init: RequestInit = {}): Promise<Response> {
  const { token } = JSON.parse(await runWrangler(['auth', 'token', '--json']));
  const account = process.env.CLOUDFLARE_ACCOUNT_ID ?? (await onlyAccount());
  const url = `https://api.cloudflare.com/client/v4/accounts/${account}/${path}`;
  return fetch(url, { ...init, headers: { Authorization: `Bearer ${token}` } });
}

async function analytics(sql: string): Promise<Record<string, unknown>[]> {
  const response = await callAccount('analytics_engine/sql', { method: 'POST', body: sql });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return ((await response.json()) as { data: Record<string, unknown>[] }).data;
}

async function subdomain(): Promise<string | undefined> {
  const response = await callAccount('workers/subdomain');
  if (response.status === 404) return undefined;
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return ((await response.json()) as { result: { subdomain?: string } }).result.subdomain;
}

/** The login step has refused a login with several accounts. */
async function onlyAccount(): Promise<string> {
  return JSON.parse(await runWrangler(['whoami', '--json'])).accounts[0].id;
}

/** Runs the tool as a process of its own, which reads the ids that have just been written into wrangler.toml. */
async function publish(environment: string): Promise<void> {
  const args = ['src/cli/index.ts', 'lists', 'publish', '--remote', '--env', environment, '--yes'];
  const child = spawn(process.execPath, args, { cwd: projectDirectory, stdio: ['ignore', 2, 2] });
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error('The lists were not published, see above.');
}

try {
  command.parse(process.argv);
  const { env: environment, jurisdiction, gradual: share, abort, dryRun } = command.opts();
  if (share !== undefined && !dryRun && !process.stdin.isTTY) {
    command.error('--gradual asks before it goes on: run it in a terminal.', { exitCode: 2 });
  }
  const deployment: Deployment = {
    configPath,
    environment,
    jurisdiction,
    share,
    wrangler: runWrangler,
    publish: () => publish(environment),
    fetch: (url) => fetch(url),
    analytics,
    subdomain,
    ask: (question) => isAgreed(question),
    pause: (milliseconds) => pause(milliseconds),
    say: (line) => console.log(line),
  };
  readDeployConfig(configPath, environment);
  const chosen = abort ? abortSteps : share === undefined ? steps : gradualSteps;
  if (dryRun) await printPlan(chosen, deployment);
  else if (!(await runSteps(chosen, deployment))) process.exitCode = 1;
  else if (!abort) {
    console.log('\nLeft to do:\n');
    for (const line of await listLeft(deployment)) console.log(`  - ${line}`);
  }
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
