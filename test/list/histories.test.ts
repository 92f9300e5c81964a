import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { type Block, buildBlock, openBlock, readEntries } from '../../src/list/format/block.ts';
import { compareNames, entryOf, type ListEntry } from '../../src/list/format/entry.ts';
import { compressJson, decompressJson } from '../../src/list/format/gzip.ts';
import { createHead, wholeBody } from '../../src/list/format/head.ts';
import { blockSizes, Splitter } from '../../src/list/format/split.ts';
import {
  addStep,
  compareBlocks,
  differenceSince,
  type Steps,
} from '../../src/list/format/steps.ts';
import type { ListedStatus } from '../../src/list/lists.ts';
import { updateBlocks } from '../../src/list/publish/update.ts';
import { useSmallBlocks } from './small-blocks.ts';

const usualSizes = { ...blockSizes };
useSmallBlocks();

const pool = [
  ...Array.from({ length: 60 }, (_, number) => `n${number}.ee`),
  ...['\u{10400}x.ee', '\ufb01x.ee', '\u{2a700}.ee', 'õ.ee', 'üks.ee'],
];

/** The content of a list: the statuses of each name. */
type Content = ReadonlyMap<string, readonly ListedStatus[]>;

const statuses = fc.subarray<ListedStatus>(['blocked', 'disputed', 'reserved']);
/** One publication's changes: what some names are from then on. */
const change = fc.dictionary(fc.constantFrom(...pool), statuses, {
  maxKeys: 40,
  noNullPrototype: true,
});
const history = fc.array(change, { minLength: 1, maxLength: 8 });

const minute = 60_000;
/** Up to half an hour or about a week, the time for which changes are kept. */
const passing = fc.oneof(
  fc.noBias(fc.nat(30)),
  fc.noBias(fc.integer({ min: 7 * 24 * 60 - 90, max: 7 * 24 * 60 + 90 })),
);
/** Publications by clocks that are wrong by an hour at most. */
const clocks = fc.infiniteStream(
  fc.record({ passing, skew: fc.noBias(fc.integer({ min: -60, max: 60 })) }),
);

function entriesOf(content: Content): ListEntry[] {
  return [...content]
    .sort(([a], [b]) => compareNames(a, b))
    .flatMap(([name, statuses]) => statuses.map((status) => entryOf([name, name, status])));
}

/** Blocks that stay in the process; their text takes the place of the digest. */
function newStore() {
  const texts = new Map<string, ListEntry[]>();
  return {
    load: async ({ digest }: Block) => texts.get(digest)!,
    async save(entries: ListEntry[]): Promise<Block> {
      const digest = entries.map(({ json }) => json).join(',');
      texts.set(digest, entries);
      const [{ name: first }] = entries as [ListEntry];
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

function cutBlocks(entries: readonly ListEntry[], sizes = blockSizes): ListEntry[][] {
  const splitter = new Splitter(sizes);
  const complete = entries.flatMap((entry) => [splitter.add(entry) ?? []]);
  return [...complete, splitter.rest()].filter(({ length }) => length > 0);
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

test('leads exactly from every kept content to the current one, whatever the clocks are', async () => {
  await fc.assert(
    fc.asyncProperty(history, clocks, async (changes, clocks) => {
      const store = newStore();
      let time = Date.parse('2026-05-05T12:00:00Z');
      const publishedAt = new Map<string, number>();
      const lists = new Map<string, string[]>();
      let content: Content = new Map();
      let blocks: Block[] = [];
      let steps: Steps = [];
      let { etag } = await createHead('all', '', blocks);
      for (const change of changes) {
        const { passing, skew } = clocks.next().value!;
        time += passing * minute;
        const at = new Date(time + skew * minute);
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
        if (next.etag !== etag) {
          steps = addStep(steps, { from: etag, to: next.etag }, difference, at);
          publishedAt.set(etag, time);
        }
        [blocks, etag] = [after, next.etag];
      }
      const now = entriesOf(content).map(({ json }) => json);
      for (const [old, entries] of lists) {
        if (old === etag) continue;
        const difference = differenceSince(steps, old);
        const age = (time - publishedAt.get(old)!) / minute;
        // Two publishers' clocks disagree by up to two hours about a week.
        if (age < (7 * 24 - 2) * 60) expect(difference).toBeDefined();
        if (!difference) continue;
        const { added, removed } = difference;
        const kept = entries.filter((entry) => !removed.includes(entry));
        expect([...kept, ...added].sort()).toEqual([...now].sort());
        expect(kept.length).toBe(entries.length - removed.length);
        expect(added).toEqual(now.filter((entry) => added.includes(entry)));
      }
    }),
    { numRuns: inject('isDeep') ? 5_000 : 200 },
  );
});

test('keeps the last hundred changes and no more than a megabyte of them, without a gap', () => {
  const name = (step: number) => `n${step}.ee`;
  const json = (step: number, length = 0) =>
    entryOf([name(step), 'x'.repeat(length), 'reserved']).json;
  const now = new Date('2026-05-05T12:00:00Z');
  const after = (count: number, length?: number) => {
    let steps: Steps = [];
    for (let step = 1; step <= count; step++) {
      const difference = { added: [json(step, length)], removed: [json(step - 1, length)] };
      steps = addStep(steps, { from: `etag ${step - 1}`, to: `etag ${step}` }, difference, now);
    }
    return steps;
  };

  const many = after(150);
  expect(differenceSince(many, 'etag 49')).toBeUndefined();
  expect(differenceSince(many, 'etag 50')).toEqual({ added: [json(150)], removed: [json(50)] });
  const long = after(8, 150_000);
  expect(differenceSince(long, 'etag 4')).toBeUndefined();
  expect(differenceSince(long, 'etag 5')).toEqual({
    added: [json(8, 150_000)],
    removed: [json(5, 150_000)],
  });
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
      const text = `{"count":${entries.length},"domains":[${entries.map(({ json }) => json).join(',')}]}`;
      expect(gunzipSync(body).toString()).toBe(text);
    }),
    { numRuns: 100 },
  );
});

test('cuts where a name says so, but never before the least number of entries, nor after the most', () => {
  const names = Array.from({ length: 30_000 }, (_, number) => `c${number}.ee`);
  const entries = names.sort(compareNames).map((name) => entryOf([name, name, 'reserved']));
  const { minimum, mean, maximum } = blockSizes;
  const counts = cutBlocks(entries).map(({ length }) => length);
  const [last] = counts.splice(-1);
  expect(Math.min(...counts)).toBe(minimum);
  expect(Math.max(...counts)).toBe(maximum);
  expect(last).toBeLessThanOrEqual(maximum);
  // Some are cut short by the greatest number.
  expect(entries.length / counts.length / mean).toBeCloseTo(1, 0);
});

/** The first names of the registry that a splitter of this modulus would cut before. */
function namesChosen(count: number, mean: number): ListEntry[] {
  const names: string[] = [];
  for (let number = 0; names.length < count; number++) {
    const splitter = new Splitter({ minimum: 1, mean: mean + 1, maximum: 2 });
    splitter.add(entryOf(['a.ee', 'a.ee', 'reserved']));
    const name = `c${number}.ee`;
    if (splitter.startsNewPart(name)) names.push(name);
  }
  return names.sort(compareNames).map((name) => entryOf([name, name, 'reserved']));
}

test('makes no more blocks and fragments of names that were chosen to begin one', async () => {
  const blocks = namesChosen(20, 6_144);
  expect(cutBlocks(blocks, usualSizes).map(({ length }) => length)).toEqual([20]);
  const { value } = await buildBlock('p', namesChosen(600, 1_024));
  expect(openBlock(value.buffer).fragments.length).toBe(3);
});
