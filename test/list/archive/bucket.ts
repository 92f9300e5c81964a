import { withMethods } from '../published.ts';

/** Deletes everything in the bucket, which has at most 1,000 objects. */
export async function emptyBucket(bucket: R2Bucket): Promise<void> {
  const { objects } = await bucket.list();
  if (objects.length > 0) await bucket.delete(objects.map(({ key }) => key));
}

/** The bucket as a lock rule leaves it: before it looks at any condition, it refuses to replace and to delete. */
export function locked(bucket: R2Bucket): R2Bucket {
  const refuse = () => Promise.reject(new Error('locked'));
  const puts = new Map<string, Promise<unknown>>();
  return withMethods(bucket, {
    delete: refuse,
    put(key: string, ...rest: [never]) {
      const put = async () =>
        (await bucket.head(key)) ? refuse() : await bucket.put(key, ...rest);
      // One after the other, so that the second one finds what the first has put.
      const next = (puts.get(key) ?? Promise.resolve()).then(put, put);
      puts.set(key, next);
      return next;
    },
  });
}
