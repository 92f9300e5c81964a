import fc from 'fast-check';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import type { Env } from '../../src/base/env.ts';
import { compareNames } from '../../src/list/format/entry.ts';
import { type ListName, listNames } from '../../src/list/lists.ts';
import { publish } from '../../src/list/publish/publish.ts';
import {
  type BrowsedName,
  browseNames,
  type Range,
  readNames,
} from '../../src/list/read/browse.ts';
import { findNames } from '../../src/list/read/look-up.ts';
import type { Reader } from '../../src/list/read/parts.ts';
import { parseDomainName } from '../../src/name/domain/operator/name.ts';
import { counted } from '../support/counted.ts';
import { addAuction, addDispute, addRetainedDomain } from '../support/fixtures.ts';
import { shareEmptyWorker } from '../support/worker.ts';
import { published } from './published.ts';
import { failingDatabase, failingKv, newReader } from './reader.ts';
import { useSmallBlocks } from './small-blocks.ts';

useSmallBlocks();
const worker = shareEmptyWorker();
const clock = () => new Date('2026-05-05T12:00:00Z');
const publishAll = () => publish({ db: worker.db, kv: worker.env.LISTS, clock }, listNames);

/** Enough for several blocks, with the others. */
const blockNames = Array.from({ length: 10 }, (_, number) => `s${number * 301}.ee`);
const otherNames = [
  ...['a.ee', 'aed.ee', 'ae.ee', 'm.ee', 'maa.ee', 's.ee', 's1.ee', 's2.ee', 's21.ee', 'z.ee'],
  ...['õun.ee', 'õunaaed.ee', 'õ.ee', 'ära.ee', 'äri.ee', 'šokolaad.ee', 'žürii.ee', '𐐨.ee'],
];
const retained = [...blockNames, ...otherNames].map((name, index) => {
  const isDisputed = index % 3 === 0;
  const statuses = [
    ...(index % 2 === 0 ? ['blocked' as const] : []),
    ...(isDisputed ? ['disputed' as const] : []),
    ...(index % 5 === 0 || (index % 2 === 1 && !isDisputed) ? ['reserved' as const] : []),
  ];
  return { ...parseDomainName(name), statuses };
});
const inAuction = ['aed.ee', 'õunaaed.ee', 'tamm.ee'].map(parseDomainName);

beforeAll(async () => {
  const { env } = worker;
  for (const { statuses, ...domain } of retained) {
    for (const status of statuses) {
      if (status !== 'disputed') await addRetainedDomain(env, { ...domain, status });
      // Two disputes of a name are one status.
      else await Promise.all([addDispute(env, domain), addDispute(env, domain)]);
    }
  }
  await addDispute(env, { name: 'over.ee', lastDay: '2026-05-04' });
  for (const domain of inAuction) await addAuction(env, domain);
});
beforeEach(publishAll);

/** All names of a list, in its order. */
function namesOf(list: ListName): BrowsedName[] {
  const names =
    list === 'auctions'
      ? inAuction.map((domain) => ({ ...domain, statuses: [] }))
      : retained.flatMap(({ statuses, ...domain }) => {
          const shown = list === 'all' ? statuses : statuses.filter((status) => status === list);
          return shown.length > 0 ? [{ ...domain, statuses: shown }] : [];
        });
  return names.toSorted((a, b) => compareNames(a.name, b.name));
}

function readerOf(overrides: Partial<Env> = {}) {
  return newReader({ ...worker.env, ...overrides }, clock);
}

async function browseAll(
  list: ListName,
  { prefix, limit }: Omit<Range, 'after'>,
  reader: Reader,
): Promise<BrowsedName[]> {
  const names: BrowsedName[] = [];
  for (;;) {
    const after = names.at(-1)?.name;
    const page = await browseNames(list, { prefix, after, limit }, reader);
    names.push(...page.names);
    expect(page.names.length === limit || !page.hasMore).toBe(true);
    if (!page.hasMore) return names;
  }
}

const lists: readonly ListName[] = listNames;
const prefixes = [
  ...new Set([
    '',
    'o',
    'x',
    'õx',
    'over',
    ...retained.flatMap(({ name }) => [name.slice(0, 1), name.slice(0, 2), name.slice(0, 3), name]),
  ]),
];

test('gives every name that begins with a prefix once, in order, whatever the pages', async () => {
  expect((await published(worker.env, 'all')).head!.blocks.length).toBeGreaterThan(5);
  const { reader } = readerOf();
  const asked = fc.record({
    list: fc.constantFrom(...lists),
    prefix: fc.constantFrom(...prefixes),
    limit: fc.integer({ min: 1, max: 30 }),
  });
  await fc.assert(
    fc.asyncProperty(asked, async ({ list, ...range }) => {
      expect(await browseAll(list, range, reader)).toEqual(
        namesOf(list).filter(({ name }) => name.startsWith(range.prefix)),
      );
    }),
    { numRuns: 2_000 },
  );
});

test('gives the same from the database where KV fails', async () => {
  const { reader, background } = readerOf({ LISTS: failingKv(worker.env) });
  for (const list of lists) {
    for (const prefix of ['', 'a', 'a.ee', 's', 'õ', 'x']) {
      for (const limit of [2, 50]) {
        expect(await browseAll(list, { prefix, limit }, reader)).toEqual(
          namesOf(list).filter(({ name }) => name.startsWith(prefix)),
        );
      }
    }
    expect(await readNames(list, reader)).toEqual(namesOf(list));
  }
  const asked = [...retained, ...inAuction, { name: 'over.ee' }].map(({ name }) => name);
  const found = await findNames(asked, reader);
  expect(found.map(({ statuses }) => statuses)).toContainEqual(['blocked', 'disputed', 'reserved']);
  expect(found).toEqual(await findNames(asked, readerOf().reader));
  expect(background).toEqual([]);
});

test('fails where both fail', async () => {
  const { reader } = readerOf({ LISTS: failingKv(worker.env), DB: failingDatabase(worker.env) });
  await expect(browseNames('all', { prefix: '', limit: 7 }, reader)).rejects.toThrow();
  await expect(readNames('all', reader)).rejects.toThrow();
});

test('goes on after a name that has left the list, and begins at the prefix where it comes later', async () => {
  const { reader } = readerOf();
  const after = async (name: string, prefix: string) =>
    (await browseNames('all', { prefix, after: name, limit: 2 }, reader)).names.map(
      ({ name }) => name,
    );
  expect(await after('aa.ee', 'a')).toEqual(['ae.ee', 'aed.ee']);
  expect(await after('a.ee', 'm')).toEqual(['m.ee', 'maa.ee']);
  expect(await after('z.ee', 'm')).toEqual([]);
});

test('reads all names once for as long as the list keeps its ETag', async () => {
  const { reader } = readerOf();
  expect(await readNames('auctions', reader)).toEqual(namesOf('auctions'));
  expect(reader.meter.kvReads).toBe(2);
  const again = await readNames('auctions', reader);
  expect(again).toBe(await readNames('auctions', reader));
  expect(reader.meter.kvReads).toBe(2);
});

test('reads no more rows of the database than a page needs', async () => {
  const { env, counts } = counted({ ...worker.env, LISTS: failingKv(worker.env) });
  const { reader } = newReader(env, clock);
  await browseNames('all', { prefix: '', after: 'a.ee', limit: 2 }, reader);
  // Up to three entries of three names, in one table and twice in the other, and one row of each to look ahead.
  expect(counts.rowsRead).toBeLessThanOrEqual(40);
  expect(counts.d1RoundTrips).toBe(1);
});
