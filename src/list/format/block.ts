import { sha256Hex } from '../../base/bytes/digest.ts';
import { joinBytes } from '../../base/bytes/encoding.ts';
import { compareNames, entryOf, type ListEntry, parseRows } from './entry.ts';
import { comma, compressPiece, decompressPiece, joinSums, type Sum } from './gzip.ts';
import { fragmentSizes, Splitter } from './split.ts';

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
