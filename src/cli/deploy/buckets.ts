import { dropJurisdiction } from './config.ts';
import { type Command, calling, type Deployment, type Step } from './deployment.ts';
import { absentIf, configOf, inJurisdiction } from './resources.ts';

/** The jurisdiction of a bucket. Each jurisdiction has names of its own, and a bucket stays where it was created. */
type Place = Deployment['jurisdiction'];
type BucketStep = Step<{ place: Place | undefined }>;

const inWords = (place: Place) =>
  place === 'none' ? 'in no jurisdiction' : `in the jurisdiction ${place}`;

/** The first of the places that has the bucket. */
async function findBucket({ wrangler }: Deployment, name: string, places: readonly Place[]) {
  for (const place of places) {
    const info = wrangler(['r2', 'bucket', 'info', name, '--json', ...inJurisdiction(place)]);
    if ((await absentIf(/code: 10006|bucket does not exist/, info)) === undefined) continue;
    return { place, state: `there, ${inWords(place)}` };
  }
  return { place: undefined, state: 'to create' };
}

function creating(deployment: Deployment, name: string, place: Place, advice = ''): Command {
  const args = ['r2', 'bucket', 'create', name, ...inJurisdiction(place)];
  return calling(deployment, args, () => `created ${name}, ${inWords(place)}${advice}`);
}

/** It comes before the Worker, which cannot be deployed with a binding to a bucket that does not exist. */
export const archiveStep: BucketStep = {
  title: 'Bucket of the archive',
  async find(deployment) {
    const { archive } = configOf(deployment);
    if (!archive) return { place: undefined, state: 'none needed' };
    const { name, place } = archive;
    const isAnywhere = deployment.jurisdiction === 'none' && place !== 'none';
    const found = await findBucket(deployment, name, isAnywhere ? [place, 'none'] : [place]);
    if (!found.place && place === 'none' && deployment.jurisdiction !== 'none') {
      throw new Error(
        `${name} would be created outside the EU: add jurisdiction = "eu" to its section of wrangler.toml, or pass --jurisdiction none`,
      );
    }
    return found;
  },
  commands(deployment, found) {
    const { configPath, environment, jurisdiction } = deployment;
    const { archive } = configOf(deployment);
    if (!archive) return [];
    const { name } = archive;
    const place = found?.place ?? (jurisdiction === 'none' ? 'none' : archive.place);
    const drop: Command = {
      words: `take the jurisdiction of ${name} out of wrangler.toml`,
      async run() {
        dropJurisdiction(configPath, environment);
        return `took the jurisdiction of ${name} out of wrangler.toml`;
      },
    };
    const create = creating(deployment, name, place, `; to lock it: ${lockCommand(name, place)}`);
    return [...(place === archive.place ? [] : [drop]), ...(found?.place ? [] : [create])];
  },
};

/** The command after which nobody deletes or replaces what is in the bucket without lifting the rule. */
function lockCommand(name: string, place: Place): string {
  const args = ['lock', 'add', name, 'archive', '--retention-indefinite', '--force'];
  return ['npx wrangler r2 bucket', ...args, ...inJurisdiction(place)].join(' ');
}

/**
 * The rules for how long the bucket keeps backups, and for how long it refuses to delete or replace them, by the first part
 * of their names. Each deployment sets them again.
 */
const ruleFiles = {
  lifecycle: 'src/cli/deploy/backup-lifecycle.json',
  lock: 'src/cli/deploy/backup-lock.json',
};

/** It comes last: the service does not need this bucket, and an account may have to enable R2 first. */
export const backupsStep: BucketStep = {
  title: 'Bucket of the backups',
  find: (deployment) => findBucket(deployment, configOf(deployment).backups, ['eu', 'none']),
  commands(deployment, found) {
    const name = configOf(deployment).backups;
    const place = found?.place ?? deployment.jurisdiction;
    const rules = Object.entries(ruleFiles).map(([kind, file]) => {
      const args = ['r2', 'bucket', kind, 'set', name, '--file', file, '--force'];
      return calling(
        deployment,
        [...args, ...inJurisdiction(place)],
        () => `set the ${kind} rules`,
      );
    });
    return [...(found?.place ? [] : [creating(deployment, name, place)]), ...rules];
  },
};
