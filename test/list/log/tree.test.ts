import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  bundle,
  bundlesOf,
  type Hash,
  leafHash,
  rootOf,
  tilePath,
  tilesAfter,
  unbundle,
} from '../../../src/list/log/tree.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const leaves = (count: number) =>
  Promise.all(Array.from({ length: count }, (_, at) => leafHash(Buffer.from(`leaf ${at}`))));

/** RFC 6962, section 2.1, word by word. */
function definition(hashes: readonly Hash[]): string {
  const of = (text: string) => createHash('sha256').update(text, 'hex').digest('hex');
  if (hashes.length === 0) return of('');
  if (hashes.length === 1) return hex(hashes[0]!);
  const half = 2 ** Math.ceil(Math.log2(hashes.length) - 1);
  return of(`01${definition(hashes.slice(0, half))}${definition(hashes.slice(half))}`);
}

test('a tree has the roots that RFC 6962 defines', async () => {
  const all = await leaves(800);
  for (const size of [0, 1, 2, 3, 5, 8, 13, 255, 256, 257, 511, 800]) {
    expect(hex(await rootOf(all.slice(0, size)))).toBe(definition(all.slice(0, size)));
  }
});

test('adds the last tiles of a tree again when they are wider', async () => {
  const all = await leaves(520);
  const named = async (before: number, after: number) =>
    (await tilesAfter(before, all.slice(0, after))).map(({ path }) => path);
  expect(await named(0, 250)).toEqual(['tile/0/000.p/250']);
  expect(await named(250, 260)).toEqual(['tile/0/000', 'tile/0/001.p/4', 'tile/1/000.p/1']);
  expect(await named(256, 520)).toEqual(['tile/0/001', 'tile/0/002.p/8', 'tile/1/000.p/2']);
  const [, , level1] = await tilesAfter(250, all.slice(0, 260));
  expect(hex(level1!.content[0]!)).toBe(definition(all.slice(0, 256)));
});

test('names the bundles of a log', () => {
  expect(bundlesOf(0)).toEqual([]);
  expect(bundlesOf(256)).toEqual(['tile/entries/000']);
  expect(bundlesOf(257)).toEqual(['tile/entries/000', 'tile/entries/001.p/1']);
});

test.each([
  ['tile/0/000', 0, 0, 256],
  ['tile/1/999.p/1', 1, 999, 1],
  ['tile/entries/x001/000.p/255', 'entries', 1_000, 255],
  ['tile/63/x001/x234/067', 63, 1_234_067, 256],
] as const)('names %s', (path, level, index, width) => {
  expect(tilePath(level, index, width)).toBe(path);
});

test('reads the entries of a bundle back, and refuses one that is cut off', () => {
  const entries = ['', 'a\n', 'x'.repeat(300)].map((text) => new TextEncoder().encode(text));
  const bytes = bundle(entries);
  expect([...bytes.slice(0, 5)]).toEqual([0, 0, 0, 2, 97]);
  expect(unbundle(bytes)).toEqual(entries);
  expect(() => unbundle(bytes.slice(0, -1))).toThrow('cut off');
  expect(() => unbundle(bytes.slice(0, 1))).toThrow('cut off');
});
