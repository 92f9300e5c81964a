import { bucketPlan, createBucket, inWords, isBucketThere, type Jurisdiction } from './bucket.ts';
import type { Deployment, Step } from './deployment.ts';
import { configOf, inJurisdiction, typed } from './resources.ts';

/**
 * For how long the bucket keeps backups, and for how long it refuses to delete or replace them, by the first part of
 * their names. Set each time, so that the bucket has the rules of these files.
 */
const ruleFiles = {
  lifecycle: 'src/cli/deploy/backup-lifecycle.json',
  lock: 'src/cli/deploy/backup-lock.json',
};

const settingRules = (name: string, place: Jurisdiction) =>
  Object.entries(ruleFiles).map(([kind, file]) => [
    ...['r2', 'bucket', kind, 'set', name, '--file', file, '--force'],
    ...inJurisdiction(place),
  ]);

/** The last step: the service needs no bucket, and an account may have to enable R2 first. */
export const backupsStep: Step = {
  title: 'Bucket of the backups',
  plan(deployment) {
    const name = configOf(deployment).backups;
    return [
      bucketPlan(name, deployment.jurisdiction),
      ...settingRules(name, deployment.jurisdiction).map((args) => typed(...args)),
    ];
  },
  async look(deployment) {
    const place = await findPlace(deployment);
    if (place === undefined) return 'to create';
    return `there, ${inWords(place)}`;
  },
  async run(deployment) {
    const { wrangler, jurisdiction } = deployment;
    const name = configOf(deployment).backups;
    const existing = await findPlace(deployment);
    const place = existing ?? jurisdiction;
    if (existing === undefined) await createBucket(deployment, name, place);
    for (const args of settingRules(name, place)) await wrangler(args);
    return `${existing === undefined ? 'created ' : ''}${name}, ${inWords(place)}`;
  },
};

/** Where the bucket is; undefined if there is none. */
async function findPlace(deployment: Deployment): Promise<Jurisdiction | undefined> {
  const name = configOf(deployment).backups;
  for (const place of ['eu', 'none'] as const) {
    if (await isBucketThere(deployment, name, place)) return place;
  }
  return undefined;
}
