import { listObjects } from './objects.ts';

/*
 * The bucket has an empty object for each erasure of a contact, so that a restore of an older backup does not undo it. The
 * key has the contact's UUID, which is random, and the time: nothing in it leads to the person once the contact is gone.
 */
const prefix = 'erasures/';

/** Records that nothing of the contact was left at the instant. */
export async function recordErasure(bucket: R2Bucket, uuid: string, at: Date): Promise<void> {
  await bucket.put(`${prefix}${uuid}/${at.toISOString()}`, '');
}

/** The instant of the last erasure of each contact, by its UUID. */
export async function readErasures(bucket: R2Bucket): Promise<Map<string, string>> {
  const erasures = new Map<string, string>();
  for await (const { key } of listObjects(bucket, { prefix })) {
    const [uuid, at] = key.slice(prefix.length).split('/') as [string, string];
    erasures.set(uuid, at);
  }
  return erasures;
}
