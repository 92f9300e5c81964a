import { joinBytes } from '../../base/bytes/encoding.ts';

/** A log's Merkle tree (RFC 6962, section 2.1), kept in tiles (C2SP tlog-tiles). */

export type Bytes = Uint8Array<ArrayBuffer>;
export type Hash = Bytes;

/** How many entries, or hashes of one level, a full tile has: a file that never changes. */
export const tileWidth = 256;
export const hashBytes = 32;

/** Hashes an entry. A 0 before entries and a 1 before pairs keep one from being taken for the other. */
export function leafHash(entry: Uint8Array): Promise<Hash> {
  return digest([0], entry);
}

async function digest(...parts: (Uint8Array | readonly number[])[]): Promise<Hash> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', joinBytes(parts)));
}

/** Hashes are of one level; only the last may be of a smaller tree. Without any, the hash of the empty tree. */
export async function rootOf(hashes: readonly Hash[]): Promise<Hash> {
  let level = hashes;
  while (level.length > 1) {
    const pairs = Array.from({ length: Math.ceil(level.length / 2) }, (_, index) => {
      const [left, right] = [level[2 * index]!, level[2 * index + 1]];
      // Without a neighbour, a hash goes up as it is.
      return right ? digest([1], left, right) : left;
    });
    level = await Promise.all(pairs);
  }
  return level[0] ?? digest();
}

/** A tile holds hashes of a level, or entries. */
export interface Tile {
  path: string;
  content: readonly Bytes[];
}

/** Tiles of the tree over all leaves, from the last one of each level that the tree over the first `size` has. */
export async function tilesAfter(size: number, leaves: readonly Hash[]): Promise<Tile[]> {
  const tiles: Tile[] = [];
  let hashes = leaves;
  for (let level = 0; hashes.length > 0; level++) {
    const its = cut(level, hashes);
    tiles.push(...its.slice(Math.floor(size / tileWidth ** (level + 1))));
    const full = its.filter(({ content }) => content.length === tileWidth);
    hashes = await Promise.all(full.map(({ content }) => rootOf(content)));
  }
  return tiles;
}

export function cut(level: number | 'entries', contents: readonly Bytes[]): Tile[] {
  return Array.from({ length: Math.ceil(contents.length / tileWidth) }, (_, index) => {
    const content = contents.slice(index * tileWidth, (index + 1) * tileWidth);
    return { path: tilePath(level, index, content.length), content };
  });
}

/** A tile's number in groups of three digits, all but the last with an x. */
export function tilePath(level: number | 'entries', index: number, width: number): string {
  const groups = String(index)
    .padStart(Math.ceil(String(index).length / 3) * 3, '0')
    .match(/.{3}/g)!;
  const digits = groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group));
  return `tile/${level}/${digits.join('/')}${width < tileWidth ? `.p/${width}` : ''}`;
}

/** Bundles with the first `size` entries. */
export function bundlesOf(size: number): string[] {
  return Array.from({ length: Math.ceil(size / tileWidth) }, (_, index) =>
    tilePath('entries', index, Math.min(tileWidth, size - index * tileWidth)),
  );
}

export function isSame(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, at) => byte === right[at]);
}

/** Each entry follows its length in two bytes. */
export function bundle(entries: readonly Uint8Array[]) {
  return joinBytes(entries.flatMap((entry) => [[entry.length >> 8, entry.length & 255], entry]));
}

/** Throws an Error if the bundle is cut off. */
export function unbundle(bytes: Bytes): Bytes[] {
  const entries: Bytes[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = start + 2 + ((bytes[start]! << 8) | bytes[start + 1]!);
    if (!(end <= bytes.length)) throw new Error('a bundle of entries is cut off');
    entries.push(bytes.slice(start + 2, end));
    start = end;
  }
  return entries;
}
