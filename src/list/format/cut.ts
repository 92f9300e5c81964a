import type { Entry } from './entry.ts';

/**
 * The content of a list alone decides where it is cut, so a change to one name changes one block, rarely more. These
 * numbers are part of the definition of the ETag. A part ends before a name that its digest chooses. Whoever chooses
 * names chooses digests too, so a part has a least number of entries as well: a list of 3,000,000 entries has fewer
 * than the 1,000 blocks that one invocation may read.
 */
interface Sizes {
  minimum: number;
  mean: number;
  maximum: number;
}

/**
 * A block is one value in KV: small enough that changing a name writes a tenth of a megabyte, large enough that reading
 * 5,000,000 names usually stays below 1,000 operations. Only tests change these sizes.
 */
export const blockSizes: Sizes = { minimum: 3_072, mean: 6_144, maximum: 16_384 };
/** A fragment is what one look-up decompresses. */
const fragmentSizes: Sizes = { minimum: 256, mean: 512, maximum: 2_048 };

/** FNV-1a, followed by the finalizer of MurmurHash3, so that every bit of the name affects every bit of the digest. */
function digest(name: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < name.length; index++) {
    hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Takes entries in order, and returns each part when it is complete. */
export class Splitter {
  #entries: Entry[] = [];
  readonly #sizes: Sizes;

  constructor(sizes: Sizes) {
    this.#sizes = sizes;
  }

  /** Whether an entry of this name would begin a part. The entries of one name stay together. */
  startsNewPart(name: string): boolean {
    const { minimum, mean, maximum } = this.#sizes;
    const { length } = this.#entries;
    if (length === 0) return true;
    if (length < minimum || this.#entries.at(-1)?.name === name) return false;
    return length >= maximum || digest(name) % (mean - minimum) === 0;
  }

  /** Returns the part before the entry if the entry begins a new one. */
  add(entry: Entry): Entry[] | undefined {
    const isCut = this.#entries.length > 0 && this.startsNewPart(entry.name);
    if (!isCut) {
      this.#entries.push(entry);
      return undefined;
    }
    const part = this.#entries;
    this.#entries = [entry];
    return part;
  }

  rest(): Entry[] {
    return this.#entries;
  }
}

export function newBlockSplitter(): Splitter {
  return new Splitter(blockSizes);
}

export function splitFragments(entries: Iterable<Entry>): Entry[][] {
  const splitter = new Splitter(fragmentSizes);
  const parts: Entry[][] = [];
  for (const entry of entries) {
    const part = splitter.add(entry);
    if (part) parts.push(part);
  }
  const rest = splitter.rest();
  return rest.length > 0 ? [...parts, rest] : parts;
}
