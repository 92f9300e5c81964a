/** In the order of their keys. One operation of R2 for each page of at most 1,000. */
export async function* listObjects(
  bucket: R2Bucket,
  options: R2ListOptions,
): AsyncGenerator<R2Object, void> {
  const { startAfter: _, ...rest } = options;
  for (let cursor: string | undefined; ; ) {
    const page = await bucket.list(cursor ? { ...rest, cursor } : options);
    yield* page.objects;
    if (!page.truncated) return;
    cursor = page.cursor;
  }
}

/** Returns the object that the key had; undefined if this put it. One operation of R2, and another if there was one. */
export async function putUnlessThere(
  bucket: R2Bucket,
  key: string,
  value: string | Uint8Array<ArrayBuffer>,
  options: Pick<R2PutOptions, 'httpMetadata' | 'customMetadata'>,
): Promise<R2ObjectBody | undefined> {
  const putting = bucket.put(key, value, { ...options, onlyIf: { etagDoesNotMatch: '*' } });
  // A lock rule may refuse it before the condition does.
  const put = await putting.catch((error: Error) => error);
  if (put && !(put instanceof Error)) return undefined;
  const there = await bucket.get(key);
  if (!there) throw put ?? new Error(`${key} exists, but cannot be read`);
  return there;
}
