import { listObjects } from '../objects.ts';

/*
 * An empty object for each confirmed erasure keeps the restore of an older backup from undoing it. Its key has the
 * contact's random UUID, for a former person `formerDigest`, and the time. None of these identifies the person.
 */
const prefix = 'erasures/';
const formerPrefix = 'erasures-of-former/';

/** Records the erasure of a contact or, with a digest, of a former person. Returns the object's key. */
export async function recordErasure(
  bucket: R2Bucket,
  { uuid, digest, at }: { uuid: string; digest?: string; at: Date },
): Promise<string> {
  const path = digest === undefined ? prefix + uuid : `${formerPrefix}${uuid}/${digest}`;
  const key = `${path}/${at.toISOString()}`;
  await bucket.put(key, '');
  return key;
}

export async function readErasures(bucket: R2Bucket): Promise<Map<string, string>> {
  const erasures = new Map<string, string>();
  for await (const { key } of listObjects(bucket, { prefix })) {
    const [uuid, at] = key.slice(prefix.length).split('/') as [string, string];
    erasures.set(uuid, at);
  }
  return erasures;
}

export async function readFormerErasures(bucket: R2Bucket) {
  const erasures = [];
  for await (const { key } of listObjects(bucket, { prefix: formerPrefix })) {
    const [uuid, digest, at] = key.split('/').slice(1);
    erasures.push({ uuid: uuid!, digest: digest!, at: at! });
  }
  return erasures;
}
