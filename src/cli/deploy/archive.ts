import { bucketPlan, createBucket, inWords, isBucketThere, type Jurisdiction } from './bucket.ts';
import { dropJurisdiction } from './config.ts';
import type { Deployment, Step } from './deployment.ts';
import { configOf, inJurisdiction, typed } from './resources.ts';

/** Before the Worker, which cannot be deployed with a binding to a bucket that does not exist. */
export const archiveStep: Step = {
  title: 'Bucket of the archive',
  plan(deployment) {
    const bucket = configOf(deployment).archive;
    if (!bucket) return ['nothing: wrangler.toml binds no ARCHIVE'];
    const place = placeOf(deployment, bucket);
    return [
      bucketPlan(bucket.name, place),
      ...(place === bucket.place ? [] : ['its jurisdiction is taken out of wrangler.toml']),
    ];
  },
  async look(deployment) {
    const bucket = configOf(deployment).archive;
    if (!bucket) return 'none needed';
    const isThere = await isBucketThere(deployment, bucket.name, bucket.place);
    return isThere ? `there, ${inWords(bucket.place)}` : 'to create';
  },
  async run(deployment) {
    const bucket = configOf(deployment).archive;
    if (!bucket) return 'none needed';
    const { name } = bucket;
    if (await isBucketThere(deployment, name, bucket.place)) {
      return `${name}, ${inWords(bucket.place)}`;
    }
    const place = placeOf(deployment, bucket);
    if (place !== deployment.jurisdiction) {
      throw new Error(
        `${name} would be created outside the EU: add jurisdiction = "eu" to its section of wrangler.toml, or pass --jurisdiction none`,
      );
    }
    if (place !== bucket.place) {
      dropJurisdiction(deployment.configPath, deployment.environment);
      if (await isBucketThere(deployment, name, place)) return `${name}, ${inWords(place)}`;
    }
    await createBucket(deployment, name, place);
    return `created ${name}, ${inWords(place)}; to lock it: ${lockCommand(name, place)}`;
  },
};

/** Where to create it: where the database is created. */
function placeOf({ jurisdiction }: Deployment, { place }: { place: Jurisdiction }): Jurisdiction {
  return jurisdiction === 'none' ? 'none' : place;
}

/** Then nobody deletes or replaces what is in the bucket, unless they lift the rule. */
function lockCommand(name: string, place: Jurisdiction): string {
  const adding = ['r2', 'bucket', 'lock', 'add', name, 'archive'];
  return `npx ${typed(...adding, '--retention-indefinite', '--force', ...inJurisdiction(place))}`;
}
