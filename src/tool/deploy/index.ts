import { spawnSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { Command, Option } from '@commander-js/extra-typings';
import { configPath, projectDirectory } from '../project.ts';
import { runWrangler } from '../wrangler.ts';
import { readDeployConfig } from './config.ts';
import { type Deployment, printPlan, runSteps } from './deployment.ts';
import { steps } from './steps.ts';

const command = new Command('npm run deploy --')
  .description('Deploy the registry: create what is missing, migrate, deploy, publish')
  .option('--env <name>', 'an environment in wrangler.toml: production or staging', 'production')
  .addOption(
    new Option('--jurisdiction <place>', 'where data created now stays, for good')
      .choices(['eu', 'none'])
      .default('eu' as const),
  )
  .option('--dry-run', 'print every step and what is there already; change nothing')
  .allowExcessArguments(false)
  .showHelpAfterError('(npm run deploy -- --help shows the options)')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));

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

command.parse(process.argv);
const { env: environment, jurisdiction, dryRun } = command.opts();
const deployment: Deployment = {
  configPath,
  environment,
  jurisdiction,
  wrangler: runWrangler,
  publish: () => publish(environment),
  fetch: (url) => fetch(url),
  subdomain: () => findSubdomain(deployment),
  pause: (milliseconds) => pause(milliseconds),
  say: (line) => console.log(line),
};
try {
  readDeployConfig(deployment);
  if (dryRun) await printPlan(steps, deployment);
  else if (!(await runSteps(steps, deployment))) process.exitCode = 1;
  else console.log('\nWhat is left to you: src/tool/runbook.md#after-the-first-deployment');
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
