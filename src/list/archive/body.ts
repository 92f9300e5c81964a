import { hex } from '../../base/bytes/digest.ts';
import type { Block } from '../format/block.ts';
import { bodyBytes, bodyStream } from '../format/body.ts';
import type { Head } from '../format/head.ts';
import type { ListName } from '../lists.ts';

/** Each content of a list is in the bucket once, in gzip, as it is sent. */

export const bodiesPrefix = 'bodies/';

/** An ETag depends only on the list and its content, so it names the content. */
export function bodyKey({ list, etag }: { list: ListName; etag: string }): string {
  return `${bodiesPrefix}${list}/${bareTag(etag)}`;
}

export function bareTag(etag: string): string {
  return etag.replace(/^W\/"(.*)"$/, '$1');
}

/**
 * Returns digest and size of the plain JSON. Loads every block once, and holds it no longer than it takes to send it.
 */
export async function putBody(
  bucket: R2Bucket,
  head: Head,
  load: (block: Block) => Promise<Uint8Array<ArrayBuffer>>,
): Promise<{ sha256: string; bytes: number }> {
  // R2 takes a stream only if it knows its length.
  const body = new FixedLengthStream(bodyBytes(head));
  const key = bodyKey(head);
  const isThere = async () => (await bucket.head(key)) !== null;
  let isPut = await isThere();
  const putting = isPut ? Promise.resolve() : bucket.put(key, body.readable);
  const put = putting
    .catch(async (error) => {
      // Another run may have put it meanwhile, and a lock rule refuses to replace it.
      if (!(await isThere())) throw error;
    })
    .then(() => {
      isPut = true;
    });
  // Awaited below; until then, a failure must not count as an unhandled rejection.
  put.catch(() => {});
  const gunzip = new DecompressionStream('gzip');
  const digest = new crypto.DigestStream('SHA-256');
  const digesting = gunzip.readable.pipeTo(digest);
  const [stored, plain] = [body.writable.getWriter(), gunzip.writable.getWriter()];
  // The bucket takes no more of what it has; the digest is needed all the same.
  const store = async (writing: () => Promise<void>) => {
    if (!isPut) await Promise.race([writing().catch(() => put), put]);
  };
  try {
    for await (const part of bodyStream(head, load)) {
      await store(() => stored.write(part));
      await plain.write(part);
    }
    await Promise.all([store(() => stored.close()), put, plain.close(), digesting]);
  } catch (error) {
    // If R2 has stopped reading, it never ends.
    stored.abort(error).catch(() => {});
    await Promise.allSettled([put, plain.abort(error), digesting]);
    throw error;
  }
  return { sha256: hex(new Uint8Array(await digest.digest)), bytes: Number(digest.bytesWritten) };
}
