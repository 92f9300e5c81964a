import { createHash } from 'node:crypto';
import { withMethods } from '../list/published.ts';

/**
 * The bucket of a runtime for the Worker's code that runs in Node, which can pass no stream on: what is put is read first.
 * The streams that only workerd has are made here in the same form.
 */
export function lentBucket(bucket: R2Bucket): R2Bucket {
  Object.assign(globalThis, { FixedLengthStream });
  Object.assign(crypto, { DigestStream });
  return withMethods(bucket, {
    put: async (key: string, body: string | ReadableStream, options?: R2PutOptions) =>
      bucket.put(
        key,
        typeof body === 'string' ? body : await new Response(body as never).arrayBuffer(),
        options,
      ),
  });
}

class FixedLengthStream extends TransformStream<Uint8Array, Uint8Array> {
  constructor(length: number) {
    let left = length;
    super({
      transform(chunk, controller) {
        left -= chunk.length;
        controller.enqueue(chunk);
      },
      flush() {
        if (left !== 0) throw new TypeError('not as long as was said');
      },
    });
  }
}

class DigestStream extends WritableStream<Uint8Array> {
  readonly digest: Promise<ArrayBuffer>;
  bytesWritten = 0;

  constructor() {
    const hash = createHash('sha256');
    const { promise, resolve } = Promise.withResolvers<ArrayBuffer>();
    super({
      write: (chunk) => {
        hash.update(chunk);
        this.bytesWritten += chunk.length;
      },
      close: () => resolve(new Uint8Array(hash.digest()).buffer),
    });
    this.digest = promise;
  }
}
