import type { Deployment } from './deployment.ts';
import { absentIf, inJurisdiction, typed } from './resources.ts';

/** The jurisdiction of a bucket. Each has names of its own, and a bucket stays where it was created. */
export type Jurisdiction = Deployment['jurisdiction'];

export const inWords = (place: Jurisdiction) =>
  place === 'none' ? 'in no jurisdiction' : `in the jurisdiction ${place}`;

const info = (name: string, place: Jurisdiction) => [
  ...['r2', 'bucket', 'info', name, '--json'],
  ...inJurisdiction(place),
];

const creation = (name: string, place: Jurisdiction) => [
  ...['r2', 'bucket', 'create', name],
  ...inJurisdiction(place),
];

export async function isBucketThere(
  { wrangler }: Deployment,
  name: string,
  place: Jurisdiction,
): Promise<boolean> {
  const found = wrangler(info(name, place));
  return (await absentIf(/code: 10006|bucket does not exist/, found)) !== undefined;
}

export function createBucket(
  { wrangler }: Deployment,
  name: string,
  place: Jurisdiction,
): Promise<string> {
  return wrangler(creation(name, place));
}

export const bucketPlan = (name: string, place: Jurisdiction) =>
  `${typed(...info(name, place))}, and ${typed(...creation(name, place))} if there is none`;
