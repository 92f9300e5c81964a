import type { Block } from './block.ts';
import { bodyBytes, frameOf, type Head } from './head.ts';

/** How many blocks are fetched ahead of the one that is needed. */
const blocksAhead = 4;

/** The parts of a whole list's gzip body, in order. */
export async function* bodyParts(
  head: Head,
  load: (block: Block) => Promise<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const { start, separator, end } = frameOf(head);
  yield* start;
  const loading: Promise<Uint8Array<ArrayBuffer>>[] = [];
  for (let index = 0; index < head.blocks.length; index++) {
    for (const block of head.blocks.slice(index + loading.length, index + blocksAhead)) {
      const data = load(block);
      // It is awaited in its turn; until then a failure must not count as an unhandled rejection.
      data.catch(() => {});
      loading.push(data);
    }
    if (index > 0) yield separator;
    const next = loading.shift();
    if (next) yield await next;
  }
  yield end;
}

/** The body as one array. Its size is known from the head. */
export async function wholeBody(
  head: Head,
  load: (block: Block) => Promise<Uint8Array<ArrayBuffer>>,
): Promise<Uint8Array<ArrayBuffer>> {
  const body = new Uint8Array(bodyBytes(head));
  let offset = 0;
  for await (const part of bodyParts(head, load)) {
    body.set(part, offset);
    offset += part.length;
  }
  return body;
}

/** The body as a stream, which holds only the blocks that are being fetched or sent. */
export function bodyStream(
  head: Head,
  load: (block: Block) => Promise<Uint8Array<ArrayBuffer>>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const parts = bodyParts(head, load);
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await parts.return(undefined);
    },
  });
}
