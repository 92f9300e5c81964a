/** In the order of their keys. One operation of R2 for each page of at most 1,000. */
export async function* listObjects(
  bucket: R2Bucket,
  options: R2ListOptions,
): AsyncGenerator<R2Object, void> {
  for (let cursor: string | undefined; ; ) {
    const page = await bucket.list({ ...options, ...(cursor && { cursor }) });
    yield* page.objects;
    if (!page.truncated) return;
    cursor = page.cursor;
  }
}
