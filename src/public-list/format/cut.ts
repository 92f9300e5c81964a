import type { Entry } from './entry.ts';

/**
 * The names of a list alone decide where it is cut. So the same content is cut in the same places, whatever its history,
 * and a change to one name changes one block. These numbers are part of the definition of the ETag.
 *
 * A block is one value in KV. It is small enough that a change to one name writes a tenth of a megabyte, and large
 * enough that reading a list of 5,000,000 names stays below the 1,000 KV operations that one invocation may use. A
 * fragment is what one look-up decompresses.
 */
const meanBlockNames = 6_144;
const maximumBlockEntries = 16_384;
const meanFragmentNames = 1_024;
const maximumFragmentEntries = 4_096;

/** Whether the name always begins a block, in every list that contains it. Such a name begins a fragment as well. */
export function beginsBlock(name: string): boolean {
  return digest(name) % meanBlockNames === 0;
}

function beginsFragment(name: string): boolean {
  return digest(name) % meanFragmentNames === 0;
}

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

/** Collects entries, which must come in order, and returns each part when it is complete. */
class Cutter {
  #entries: Entry[] = [];
  readonly #begins: (name: string) => boolean;
  readonly #maximum: number;

  constructor(begins: (name: string) => boolean, maximum: number) {
    this.#begins = begins;
    this.#maximum = maximum;
  }

  /** Returns the part before the entry if the entry begins a new one. The entries of one name stay together. */
  add(entry: Entry): Entry[] | undefined {
    const last = this.#entries.at(-1);
    const isCut =
      last !== undefined &&
      last.name !== entry.name &&
      (this.#entries.length >= this.#maximum || this.#begins(entry.name));
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

export function newBlockCutter(): Cutter {
  return new Cutter(beginsBlock, maximumBlockEntries);
}

export function cutBlocks(entries: Iterable<Entry>): Entry[][] {
  return cut(newBlockCutter(), entries);
}

export function cutFragments(entries: Iterable<Entry>): Entry[][] {
  return cut(new Cutter(beginsFragment, maximumFragmentEntries), entries);
}

function cut(cutter: Cutter, entries: Iterable<Entry>): Entry[][] {
  const parts: Entry[][] = [];
  for (const entry of entries) {
    const part = cutter.add(entry);
    if (part) parts.push(part);
  }
  const rest = cutter.rest();
  return rest.length > 0 ? [...parts, rest] : parts;
}
