import type { ListEntry } from './entry.ts';

/**
 * A list is cut before names that their digest chooses, so a change to one name changes one block, rarely more. These
 * numbers are part of the definition of the ETag. Since names can be chosen by their digest, the minimum keeps a
 * list of 3,000,000 entries below the 1,000 blocks that one invocation may read.
 */
interface Sizes {
  minimum: number;
  mean: number;
  maximum: number;
}

/**
 * One value in KV: small enough that changing a name writes a tenth of a megabyte, large enough that reading 5,000,000
 * names usually stays below 1,000 operations. Only tests change these sizes.
 */
export const blockSizes: Sizes = { minimum: 3_072, mean: 6_144, maximum: 16_384 };
/** One look-up decompresses one fragment. */
export const fragmentSizes: Sizes = { minimum: 256, mean: 512, maximum: 2_048 };

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

export class Splitter {
  #entries: ListEntry[] = [];
  readonly #sizes: Sizes;

  constructor(sizes: Sizes) {
    this.#sizes = sizes;
  }

  /** The entries of a name stay together. */
  startsNewPart(name: string): boolean {
    const { minimum, mean, maximum } = this.#sizes;
    const { length } = this.#entries;
    if (length === 0) return true;
    if (length < minimum || this.#entries.at(-1)?.name === name) return false;
    return length >= maximum || digest(name) % (mean - minimum) === 0;
  }

  /** Returns the part before the entry if that begins a new one. */
  add(entry: ListEntry): ListEntry[] | undefined {
    const isCut = this.#entries.length > 0 && this.startsNewPart(entry.name);
    if (!isCut) {
      this.#entries.push(entry);
      return undefined;
    }
    const part = this.#entries;
    this.#entries = [entry];
    return part;
  }

  rest(): ListEntry[] {
    return this.#entries;
  }
}

export function newBlockSplitter(): Splitter {
  return new Splitter(blockSizes);
}
