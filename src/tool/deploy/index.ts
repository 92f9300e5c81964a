import { spawnSync } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { longNames } from '../command.ts';
import { configPath, deskConfigPath, projectDirectory, refuseKeptOptions } from '../project.ts';
import { runWrangler } from '../wrangler.ts';
import { readDeployConfig } from './config.ts';
import { type Deployment, printPlan, runSteps } from './deployment.ts';
import { deskSteps, readDesk } from './desk.ts';
import { steps } from './steps.ts';

const command = new Command('npm run deploy --')
  .description('Deploy the registry: create what is missing, migrate, deploy, publish')
  .option('--env <name>', 'an environment in wrangler.toml: production or staging', 'production')
  .addOption(
    new Option('--jurisdiction <place>', 'where data created now stays, for good')
      .choices(['eu', 'none'])
      .default('eu' as const),
  )
  .option('--desk <host>', "also deploy the staff's desk, at a host name of its own", parseHost)
  .option('--dry-run', 'print every step and what is there already; change nothing')
  .allowExcessArguments(false)
  .showHelpAfterError('(npm run deploy -- --help shows the options)')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));

function parseHost(text: string): string {
  if (/^([a-z\d-]+\.)+[a-z\d-]+$/.test(text)) return text;
  throw new InvalidArgumentError('It must be a host name, such as desk.registry.example.');
}

async function findSubdomain(deployment: Deployment): Promise<string | undefined> {
  const { token } = JSON.parse(await runWrangler(['auth', 'token', '--json']));
  const account =
    process.env.CLOUDFLARE_ACCOUNT_ID ??
    readDeployConfig(deployment).account ??
    JSON.parse(await runWrangler(['whoami', '--json'])).accounts[0].id;
  const url = `https://api.cloudflare.com/client/v4/accounts/${account}/workers/subdomain`;
  const response = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
  if (response.status === 404) return undefined;
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return ((await response.json()) as { result: { subdomain?: string } }).result.subdomain;
}

/** Uses a process of its own, which reads the new ids in wrangler.toml. */
async function publish(environment: string): Promise<void> {
  const args = ['src/tool/index.ts', 'lists', 'publish', '--remote', '--env', environment, '--yes'];
  const { status } = spawnSync(process.execPath, args, { cwd: projectDirectory, stdio: [0, 2, 2] });
  if (status !== 0) throw new Error('The lists were not published, see above.');
}

const warnings = new Set<string>();
/** Once, though every call of wrangler that reads wrangler.toml repeats it. */
function warn(text: string): void {
  if (!warnings.has(text)) console.error(text);
  warnings.add(text);
}

refuseKeptOptions('deploy', longNames(command));
command.parse(process.argv);
const { env: environment, jurisdiction, dryRun, desk: host } = command.opts();
const all = host === undefined ? steps : [...steps, ...deskSteps];
const deployment: Deployment = {
  configPath,
  environment,
  jurisdiction,
  wrangler: (args, input) => runWrangler(args, input, warn),
  publish: () => publish(environment),
  ...(host !== undefined && { desk: { host, configPath: deskConfigPath } }),
  fetch: (url) => fetch(url, { redirect: 'manual' }),
  hasAddress: (host) =>
    lookup(host).then(
      () => true,
      () => false,
    ),
  subdomain: () => findSubdomain(deployment),
  pause: (milliseconds) => pause(milliseconds),
  say: (line) => console.log(line),
};
try {
  readDeployConfig(deployment);
  if (deployment.desk) readDesk(deployment);
  if (dryRun) await printPlan(all, deployment);
  else if (!(await runSteps(all, deployment))) process.exitCode = 1;
  else console.log('\nWhat is left to you: src/tool/runbook.md#after-the-first-deployment');
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
