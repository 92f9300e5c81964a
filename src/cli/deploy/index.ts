import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Command, CommanderError, Option } from '@commander-js/extra-typings';
import { configPath, projectDirectory } from '../project.ts';
import { runWrangler } from '../wrangler.ts';
import { readDeployConfig } from './config.ts';
import { type Deployment, printPlan, runSteps } from './deployment.ts';
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
    '--dry-run',
    'print every step and what is there already, as far as the login shows it; change nothing',
  )
  .allowExcessArguments(false)
  .showHelpAfterError('(npm run deploy -- --help shows the options)')
  .exitOverride();

/** The tool in a process of its own, which reads the ids that have just been written into wrangler.toml. */
async function publish(environment: string): Promise<void> {
  const args = ['src/cli/index.ts', 'lists', 'publish', '--remote', '--env', environment, '--yes'];
  const child = spawn(process.execPath, args, { cwd: projectDirectory, stdio: ['ignore', 2, 2] });
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error('The lists were not published, see above.');
}

async function deploy(
  given: Pick<Deployment, 'environment' | 'jurisdiction'>,
  { isDryRun }: { isDryRun: boolean },
): Promise<void> {
  const { environment } = given;
  const deployment: Deployment = {
    ...given,
    configPath,
    wrangler: runWrangler,
    publish: () => publish(environment),
    fetch: (url) => fetch(url),
    pause: (milliseconds) => pause(milliseconds),
    say: (line) => console.log(line),
  };
  readDeployConfig(configPath, environment);
  if (isDryRun) return await printPlan(steps, deployment);
  if (!(await runSteps(steps, deployment))) {
    process.exitCode = 1;
    return;
  }
  console.log(`\nLeft to do:\n`);
  for (const line of await listLeft(deployment)) console.log(`  - ${line}`);
}

try {
  command.parse(process.argv);
  const { env: environment, jurisdiction, dryRun } = command.opts();
  await deploy({ environment, jurisdiction }, { isDryRun: dryRun ?? false });
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
