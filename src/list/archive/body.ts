import type { Block } from '../format/block.ts';
import { bodyBytes, bodyStream, type Head } from '../format/head.ts';
import type { ListName } from '../lists.ts';

/**
 * The bucket has each content of a list once, in gzip, as it is sent. The days that 1.0.0 recorded have bodies with the count at their end,
 * under the same ETags.
 */

export const bodiesPrefix = 'bodies/';

interface Body {
  list: ListName;
  etag: string;
  isCountFirst?: true;
}

export function bodyKey({ list, etag, isCountFirst }: Body): string {
  return `${bodiesPrefix}${list}/${bareTag(etag)}${isCountFirst ? '-count-first' : ''}`;
}

export function bareTag(etag: string): string {
  return etag.replace(/^W\/"(.*)"$/, '$1');
}

/** Does nothing if the bucket has the content. */
export async function putBody(
  bucket: R2Bucket,
  head: Head,
  load: (block: Block) => Promise<Uint8Array<ArrayBuffer>>,
): Promise<void> {
  const key = bodyKey({ ...head, isCountFirst: true });
  if (await bucket.head(key)) return;
  // R2 takes only streams of known length.
  const body = new FixedLengthStream(bodyBytes(head));
  const sending = bodyStream(head, load).pipeTo(body.writable);
  // If R2 stops reading, sending never ends, so the first failure counts.
  await Promise.all([sending, bucket.put(key, body.readable)]).catch(async (error) => {
    // Another run may have put it meanwhile, and a lock rule refuses to replace it.
    if (!(await bucket.head(key))) throw error;
  });
}
