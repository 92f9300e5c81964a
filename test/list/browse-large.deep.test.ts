import { expect, test } from 'vitest';
import type { Env } from '../../src/base/env.ts';
import { type Block, buildBlock } from '../../src/list/format/block.ts';
import { entryOf, type ListEntry } from '../../src/list/format/entry.ts';
import { bodyBytes, createHead } from '../../src/list/format/head.ts';
import { newBlockSplitter } from '../../src/list/format/split.ts';
import { blockKey } from '../../src/list/kv.ts';
import { browseNames, type Range } from '../../src/list/read/browse.ts';
import { memoryOf } from '../../src/list/read/memory.ts';
import { putHead } from '../../src/list/stored.ts';
import { counted } from '../support/counted.ts';
import { startWorker } from '../support/worker.ts';
import { newReader } from './reader.ts';

const worker = startWorker();
const clock = () => new Date('2026-05-05T12:00:00Z');
const large = 1_000_000;
const limit = 50;
const mebibyte = 1024 * 1024;

const nameOf = (number: number) => `name${String(number).padStart(7, '0')}.ee`;
const numberOf = (name: string) => Number(name.slice('name'.length, -'.ee'.length));

/** Puts the list of so many names into KV, as publishing it leaves it; the database stays empty. */
async function putNames({ LISTS }: Env, count: number) {
  const publication = 'p';
  const blocks: Block[] = [];
  const puts: Promise<void>[] = [];
  const put = async (entries: ListEntry[]) => {
    const { block, value } = await buildBlock(publication, entries);
    blocks.push(block);
    puts.push(LISTS.put(blockKey('all', block), value));
  };
  const splitter = newBlockSplitter();
  for (let number = 0; number < count; number++) {
    const name = nameOf(number);
    const complete = splitter.add(entryOf([name, name, 'reserved']));
    if (complete) await put(complete);
  }
  await put(splitter.rest());
  await Promise.all(puts);
  const head = await createHead('all', publication, blocks);
  await putHead(LISTS, {
    head,
    metadata: {
      ...{ publication, etag: head.etag, count, publishedAt: clock().toISOString() },
      ...{ tookMilliseconds: 0, bytes: bodyBytes(head), blocks: blocks.length },
      ...{ added: null, removed: null },
    },
  });
  return head;
}

/** One page for an isolate that has read nothing yet, and what it cost. */
async function browse(range: Range) {
  const { env, counts } = counted(worker.env);
  const { reader } = newReader(env, clock);
  const { names, hasMore } = await browseNames('all', range, reader);
  // The blocks that were read and the text of the fragments that were decompressed.
  const { bytes } = memoryOf(reader.kv).parts;
  expect(reader.meter.kvReads).toBe(counts.kvReads);
  return { names: names.map(({ name }) => name), hasMore, counts, bytes };
}

test('gives a page of 1,000,000 names for little more than a page of 100 costs', async () => {
  await putNames(worker.env, 100);
  const small = await browse({ prefix: '', limit });
  expect(small.counts).toMatchObject({ kvReads: 2, d1RoundTrips: 0 });

  const head = await putNames(worker.env, large);
  const ends = head.blocks.slice(1).map(({ first }) => numberOf(first) - 10);
  const others = Array.from({ length: 100 }, (_, index) => (index * 7_919_317) % large);
  for (const number of [...ends, ...others]) {
    const after = nameOf(number);
    for (const prefix of ['', after.slice(0, 'name'.length + 3)]) {
      const page = await browse({ prefix, after, limit });
      const following = Array.from({ length: limit + 1 }, (_, index) => number + 1 + index)
        .filter((number) => number < large)
        .map(nameOf)
        .filter((name) => name.startsWith(prefix));
      expect(page.names).toEqual(following.slice(0, limit));
      expect(page.hasMore).toBe(following.length > limit);
      // The head, and the block that the page begins in; the next one where the page goes on in it.
      expect(page.counts.kvReads).toBeLessThanOrEqual(3);
      expect(page.counts.d1RoundTrips).toBe(0);
      expect(page.bytes).toBeLessThanOrEqual(2 * mebibyte);
    }
  }
});
