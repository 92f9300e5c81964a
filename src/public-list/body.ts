import { sha256Hex } from '../digest.ts';
import type { ListName } from './lists.ts';

/** What Workers KV takes as a value. */
export const maximumBodyBytes = 25 * 1024 * 1024;

/** Characters after which a block is closed. It is part of the ETag's definition: another size, other ETags. */
const blockCharacters = 64 * 1024;

const encoder = new TextEncoder();

/**
 * The JSON of one list while it is written: compressed and digested block by block, so that no more than the
 * compressed bytes and the blocks of one page are held. The count stands last, because it is known last.
 */
export class ListBody {
  readonly list: ListName;
  #count = 0;
  #text: string;
  #full: string[] = [];
  #digests: string[] = [];
  readonly #writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  readonly #compressed: Promise<Uint8Array<ArrayBuffer>>;

  constructor(list: ListName, field: string) {
    this.list = list;
    this.#text = `{"${field}":[`;
    const compressor = new CompressionStream('gzip');
    this.#writer = compressor.writable.getWriter();
    this.#compressed = collect(list, compressor.readable);
    // It is awaited at the end alone; a failure before is told there.
    this.#compressed.catch(() => {});
  }

  /** Appends an entry that is JSON already. */
  add(entry: string): void {
    this.#text += this.#count === 0 ? entry : `,${entry}`;
    this.#count += 1;
    if (this.#text.length >= blockCharacters) this.#closeBlock();
  }

  #closeBlock(): void {
    this.#full.push(this.#text);
    this.#text = '';
  }

  /** Compresses what has been added, as far as it fills blocks. */
  async flush(): Promise<void> {
    const blocks = this.#full;
    this.#full = [];
    for (const block of blocks) {
      const bytes = encoder.encode(block) as Uint8Array<ArrayBuffer>;
      const [digest] = await Promise.all([sha256Hex(bytes), this.#writer.write(bytes)]);
      this.#digests.push(digest);
    }
  }

  /**
   * The compressed body and its weak ETag, which digests the list's name and the digests of the body's blocks:
   * web crypto has no digest of a stream, and is many times faster than one in JavaScript.
   * Throws an Error for a body larger than KV takes.
   */
  async finish() {
    this.#text += `],"count":${this.#count}}`;
    this.#closeBlock();
    await this.flush();
    await this.#writer.close();
    const body = await this.#compressed;
    const digest = await sha256Hex(encoder.encode([this.list, ...this.#digests].join('\n')));
    return { body, etag: `W/"${digest.slice(0, 32)}"`, count: this.#count };
  }

  async abandon(): Promise<void> {
    await this.#writer.abort().catch(() => {});
  }
}

async function collect(list: ListName, stream: ReadableStream<Uint8Array>) {
  let chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    // What is too large is counted to its end, so that the error tells by how much, but not kept.
    if (length > maximumBodyBytes) chunks = [];
    else chunks.push(chunk);
  }
  if (length > maximumBodyBytes) {
    throw new Error(
      `list ${list} has ${length} bytes, where KV takes ${maximumBodyBytes}: the last published one stays`,
    );
  }
  const body = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    body.set(chunk, offset);
    offset += chunk.length;
  }
  return body;
}
