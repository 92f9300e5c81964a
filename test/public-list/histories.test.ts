import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import {
  type Block,
  buildBlock,
  openBlock,
  readEntries,
} from '../../src/public-list/format/block.ts';
import { wholeBody } from '../../src/public-list/format/body.ts';
import { beginsBlock, cutBlocks } from '../../src/public-list/format/cut.ts';
import { compareNames, type Entry, entryOf } from '../../src/public-list/format/entry.ts';
import { compressJson, decompressJson } from '../../src/public-list/format/gzip.ts';
import { createHead } from '../../src/public-list/format/head.ts';
import {
  addStep,
  compareBlocks,
  differenceSince,
  type Steps,
} from '../../src/public-list/format/steps.ts';
import type { ListedStatus } from '../../src/public-list/lists.ts';
import { updateBlocks } from '../../src/public-list/publish/update.ts';

/** Names that begin a block, which one in 6,144 does, and others that lie around them, some above U+FFFF. */
const candidates = Array.from({ length: 150_000 }, (_, number) => `n${number.toString(36)}.ee`);
const pool = [
  ...candidates.filter(beginsBlock),
  ...candidates.filter((_, index) => index % 2_500 === 1),
  ...['\u{10400}x.ee', '\ufb01x.ee', '\u{2a700}.ee', 'õ.ee', 'üks.ee'],
];

/** The content of a list: the statuses of each name. */
type Content = ReadonlyMap<string, readonly ListedStatus[]>;

const statuses = fc.subarray<ListedStatus>(['blocked', 'disputed', 'reserved']);
/** One publication's changes: what some names are from then on. */
const change = fc.dictionary(fc.constantFrom(...pool), statuses, {
  maxKeys: 12,
  noNullPrototype: true,
});
const history = fc.array(change, { minLength: 1, maxLength: 8 });

function entriesOf(content: Content): Entry[] {
  return [...content]
    .sort(([a], [b]) => compareNames(a, b))
    .flatMap(([name, statuses]) => statuses.map((status) => entryOf([name, name, status])));
}

/** Blocks that stay in the process; their text takes the place of the digest. */
function newStore() {
  const texts = new Map<string, Entry[]>();
  return {
    load: async ({ digest }: Block) => texts.get(digest)!,
    async save(entries: Entry[]): Promise<Block> {
      const digest = entries.map(({ json }) => json).join(',');
      texts.set(digest, entries);
      const [{ name: first }] = entries as [Entry];
      return {
        first,
        publication: '',
        digest,
        sum: { crc: 0, length: 0 },
        bytes: 0,
        count: entries.length,
      };
    },
  };
}

async function builtFromNothing(content: Content, store: ReturnType<typeof newStore>) {
  return Promise.all(cutBlocks(entriesOf(content)).map((entries) => store.save(entries)));
}

const changedNames = (changes: Record<string, readonly ListedStatus[]>) =>
  Object.entries(changes)
    .sort(([a], [b]) => compareNames(a, b))
    .map(([name, statuses]) => ({
      name,
      entries: statuses.map((status) => entryOf([name, name, status])),
    }));

function applied(content: Content, changes: Record<string, readonly ListedStatus[]>): Content {
  const next = new Map([...content, ...Object.entries(changes)]);
  return new Map([...next].filter(([, statuses]) => statuses.length > 0));
}

test('updates a list to the very blocks and ETag that it has when it is built from nothing', async () => {
  await fc.assert(
    fc.asyncProperty(history, async (changes) => {
      const store = newStore();
      let content: Content = new Map();
      let blocks: Block[] = [];
      for (const change of changes) {
        content = applied(content, change);
        ({ blocks } = await updateBlocks(blocks, changedNames(change), store));
        const built = await builtFromNothing(content, store);
        expect(blocks).toEqual(built);
      }
    }),
    { numRuns: inject('isDeep') ? 2_000 : 300 },
  );
});

test('leads from every kept content to the current one, in the order of the list', async () => {
  await fc.assert(
    fc.asyncProperty(history, async (changes) => {
      const store = newStore();
      const at = new Date('2026-05-05T12:00:00Z');
      const lists = new Map<string, string[]>();
      let content: Content = new Map();
      let blocks: Block[] = [];
      let steps: Steps = [];
      let { etag } = await createHead('all', '', blocks);
      for (const change of changes) {
        lists.set(
          etag,
          entriesOf(content).map(({ json }) => json),
        );
        content = applied(content, change);
        const { blocks: after, difference } = await updateBlocks(
          blocks,
          changedNames(change),
          store,
        );
        expect(await compareBlocks(blocks, after, store.load)).toEqual(difference);
        const next = await createHead('all', '', after);
        if (next.etag !== etag) steps = addStep(steps, etag, difference, at);
        [blocks, etag] = [after, next.etag];
      }
      const now = entriesOf(content).map(({ json }) => json);
      for (const [old, entries] of lists) {
        if (old === etag) continue;
        const { added, removed } = differenceSince(steps, old)!;
        const kept = entries.filter((entry) => !removed.includes(entry));
        expect([...kept, ...added].sort()).toEqual([...now].sort());
        expect(kept.length).toBe(entries.length - removed.length);
        expect(added).toEqual(now.filter((entry) => added.includes(entry)));
      }
    }),
    { numRuns: inject('isDeep') ? 1_000 : 200 },
  );
});

test('puts the blocks together into the JSON of the list, byte for byte', async () => {
  await fc.assert(
    fc.asyncProperty(change, async (changes) => {
      const entries = entriesOf(applied(new Map(), changes));
      const values = new Map<string, ArrayBuffer>();
      const blocks = await Promise.all(
        cutBlocks(entries).map(async (entries) => {
          const { block, value } = await buildBlock('p', entries);
          values.set(block.digest, value.buffer);
          expect(readEntries(openBlock(value.buffer))).toEqual(entries);
          return block;
        }),
      );
      const head = await createHead('all', 'p', blocks);
      expect(decompressJson(compressJson(head).buffer)).toEqual(head);
      const body = await wholeBody(head, async ({ digest }) => openBlock(values.get(digest)!).data);
      const text = `{"domains":[${entries.map(({ json }) => json).join(',')}],"count":${entries.length}}`;
      expect(gunzipSync(body).toString()).toBe(text);
    }),
    { numRuns: 100 },
  );
});

test('cuts a run of names of which none begins a block, and cuts it again from its start', async () => {
  const names = Array.from(
    { length: 70_000 },
    (_, number) => `c${String(number).padStart(6, '0')}.ee`,
  );
  const plain = names.filter((name) => !beginsBlock(name));
  const store = newStore();
  let content: Content = new Map(plain.map((name) => [name, ['reserved'] as const]));
  let blocks = await builtFromNothing(content, store);
  const full = 16_384;
  const counts = [full, full, full, full, plain.length - 4 * full];
  expect(blocks.map(({ count }) => count)).toEqual(counts);

  for (const change of [
    { 'a.ee': ['blocked' as const] },
    { [plain[5]!]: [], [plain[40_000]!]: [] },
  ]) {
    content = applied(content, change);
    ({ blocks } = await updateBlocks(blocks, changedNames(change), store));
    expect(blocks).toEqual(await builtFromNothing(content, store));
  }
});
