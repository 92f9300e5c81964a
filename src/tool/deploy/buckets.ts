import { readDeployConfig } from './config.ts';
import { calling, type Deployment, inJurisdiction, look, type Step } from './deployment.ts';

type Jurisdiction = Deployment['jurisdiction'];

/** Plans a bucket. Each jurisdiction has names of its own, and a bucket stays where it was created. */
async function planBucket(
  deployment: Deployment,
  name: string,
  jurisdictions: readonly Jurisdiction[],
) {
  for (const found of jurisdictions) {
    const info = `r2 bucket info ${name} --json${inJurisdiction(found)}`;
    if (!(await look(deployment, info, /code: 10006|bucket does not exist/))) continue;
    return { found, state: `there, jurisdiction ${found}`, commands: [] };
  }
  const { jurisdiction } = deployment;
  const create = `r2 bucket create ${name}${inJurisdiction(jurisdiction)}`;
  const done = `created ${name}, jurisdiction ${jurisdiction}`;
  return { state: 'to create', commands: [calling(deployment, create, done)] };
}

/** It comes before the Worker, which cannot be deployed with a binding to a bucket that does not exist. */
export const archiveStep: Step = {
  title: 'Bucket of the archive',
  async plan(deployment) {
    const { archive } = readDeployConfig(deployment);
    if (!archive) return { state: 'none needed', commands: [] };
    const { name, jurisdiction } = archive;
    const plan = await planBucket(deployment, name, [jurisdiction]);
    if (plan.found || jurisdiction === deployment.jurisdiction) return plan;
    throw new Error(
      `${name} would be created with --jurisdiction ${deployment.jurisdiction}, but wrangler.toml binds it with the jurisdiction ${jurisdiction}: change its line jurisdiction = "eu" there, or the option`,
    );
  },
};

/**
 * The rules for how long the bucket keeps backups, and for how long it refuses to delete or replace them, by the first part
 * of their names. Each deployment sets them again.
 */
const ruleFiles = {
  lifecycle: 'src/tool/deploy/backup-lifecycle.json',
  lock: 'src/tool/deploy/backup-lock.json',
};

/** It comes last: the service does not need this bucket, and an account may have to enable R2 first. */
export const backupsStep: Step = {
  title: 'Bucket of the backups',
  async plan(deployment) {
    const name = readDeployConfig(deployment).backups;
    const { found, state, commands } = await planBucket(deployment, name, ['eu', 'none']);
    const place = inJurisdiction(found ?? deployment.jurisdiction);
    const rules = Object.entries(ruleFiles).map(([kind, file]) => {
      const set = `r2 bucket ${kind} set ${name} --file ${file} --force${place}`;
      return calling(deployment, set, `set the ${kind} rules`);
    });
    return { state, commands: [...commands, ...rules] };
  },
};
