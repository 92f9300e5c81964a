import { sha256Hex } from '../../base/bytes/digest.ts';
import { joinBytes } from '../../base/bytes/encoding.ts';
import { compareNames, entryOf, type ListEntry, parseRows } from './entry.ts';
import { comma, compressPiece, decompressPiece, joinSums, type Sum } from './gzip.ts';

export interface Block {
  first: string;
  publication: string;
  /** SHA-256 of its text, 32 hexadecimal digits. */
  digest: string;
  /** CRC and length of its text, which is the entries with commas between them. */
  sum: Sum;
  bytes: number;
  count: number;
}

export interface OpenBlock {
  /** The fragments and commas, as in the body of the whole list. */
  data: Uint8Array<ArrayBuffer>;
  fragments: readonly Fragment[];
}

export interface Fragment {
  first: string;
  offset: number;
  bytes: number;
}

export interface BlockStore {
  load: (block: Block) => Promise<ListEntry[]>;
  save: (entries: ListEntry[]) => Promise<Block>;
}

const lengthBytes = 4;

/** Returns the block and its value in KV: the directory's length, the directory, and the fragments. */
export async function buildBlock(publication: string, entries: readonly ListEntry[]) {
  const directory: [first: string, bytes: number][] = [];
  const parts: Uint8Array[] = [];
  let sum: Sum | undefined;
  for (const fragment of splitFragments(entries)) {
    const piece = compressPiece(textOf(fragment));
    if (sum) parts.push(comma.data);
    parts.push(piece.data);
    sum = sum ? joinSums(joinSums(sum, comma.sum), piece.sum) : piece.sum;
    directory.push([fragment[0]?.name ?? '', piece.data.length]);
  }
  const bytes = parts.reduce((total, { length }) => total + length, 0);
  const block: Block = {
    first: entries[0]?.name ?? '',
    publication,
    digest: await digestOf(entries),
    sum: sum ?? { crc: 0, length: 0 },
    bytes,
    count: entries.length,
  };
  const header = new TextEncoder().encode(JSON.stringify(directory));
  const length = new Uint8Array(lengthBytes);
  new DataView(length.buffer).setUint32(0, header.length, true);
  return { block, value: joinBytes([length, header, ...parts]) };
}

export async function digestOf(entries: readonly ListEntry[]): Promise<string> {
  return (await sha256Hex(textOf(entries))).slice(0, 32);
}

function textOf(entries: readonly ListEntry[]): string {
  return entries.map(({ json }) => json).join(',');
}

export function openBlock(value: ArrayBuffer): OpenBlock {
  const headerBytes = new DataView(value).getUint32(0, true);
  const header = new TextDecoder().decode(new Uint8Array(value, lengthBytes, headerBytes));
  const directory: [first: string, bytes: number][] = JSON.parse(header);
  let offset = 0;
  const fragments = directory.map(([first, bytes]): Fragment => {
    const fragment = { first, offset, bytes };
    // A compressed comma follows each fragment.
    offset += bytes + comma.data.length;
    return fragment;
  });
  return { data: new Uint8Array(value, lengthBytes + headerBytes), fragments };
}

export function findFragment({ fragments }: OpenBlock, name: string): Fragment | undefined {
  return fragments[findLast(fragments, name)];
}

export function readFragment({ data }: OpenBlock, { offset, bytes }: Fragment): string {
  return decompressPiece(data.subarray(offset, offset + bytes));
}

export function readEntries(open: OpenBlock): ListEntry[] {
  return open.fragments.flatMap((fragment) => parseRows(readFragment(open, fragment)).map(entryOf));
}

/** Returns the index of the last part that begins at or before the name; -1 if there is none. */
export function findLast(parts: readonly { first: string }[], name: string): number {
  let [low, high] = [0, parts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareNames(parts[middle]?.first ?? '', name) <= 0) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

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

function splitFragments(entries: Iterable<ListEntry>): ListEntry[][] {
  const splitter = new Splitter(fragmentSizes);
  const parts: ListEntry[][] = [];
  for (const entry of entries) {
    const part = splitter.add(entry);
    if (part) parts.push(part);
  }
  const rest = splitter.rest();
  return rest.length > 0 ? [...parts, rest] : parts;
}
