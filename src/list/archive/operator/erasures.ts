import { listObjects } from '../objects.ts';

/*
 * The bucket has an empty object for each erasure of a contact, so that a restore of an older backup does not undo it.
 * Its key has the contact's random UUID and the time: nothing leads to the person once the contact is gone.
 */
const prefix = 'erasures/';

export async function recordErasure(bucket: R2Bucket, uuid: string, at: Date): Promise<void> {
  await bucket.put(`${prefix}${uuid}/${at.toISOString()}`, '');
}

/** The last erasure of each contact, by its UUID. */
export async function readErasures(bucket: R2Bucket): Promise<Map<string, string>> {
  const erasures = new Map<string, string>();
  for await (const { key } of listObjects(bucket, { prefix })) {
    const [uuid, at] = key.slice(prefix.length).split('/') as [string, string];
    erasures.set(uuid, at);
  }
  return erasures;
}
