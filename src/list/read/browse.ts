import { sql } from 'drizzle-orm';
import { retry } from '../../base/database/retry.ts';
import { entriesQuery, entryPages } from '../entries.ts';
import { findLast } from '../format/block.ts';
import {
  type BrowsedName,
  compareNames,
  type ListEntryRow,
  namesOf,
  parseRows,
} from '../format/entry.ts';
import type { Head } from '../format/head.ts';
import { type ListName, publicLists } from '../lists.ts';
import { memoryOf } from './memory.ts';
import { loadBlock, loadFragment, type Reader, readWithFallback } from './parts.ts';

export type { BrowsedName };

export interface Range {
  /** Lower case, NFC, not punycode; empty for all names. */
  prefix: string;
  after?: string | undefined;
  limit: number;
}

/**
 * Returns the published names that begin with a prefix. A name with several statuses counts once. Reads only the blocks
 * that contain them.
 */
export function browseNames(list: ListName, range: Range, reader: Reader) {
  const { prefix, after = '', limit } = range;
  const start = compareNames(after, prefix) > 0 ? after : prefix;
  return readWithFallback(list, reader, {
    fromHead: (head) => pageOf(namesFrom(head, start, reader), range),
    async fromDatabase(db, day) {
      const { entries } = publicLists[list];
      const within = sql`name >= ${start} and name < ${prefix + lastCharacter}`;
      // A name has at most one entry of each kind. The page may begin after a name, and looks one name ahead.
      const rows = (limit + 2) * entries.length;
      const query = entriesQuery(entries, within, day, rows);
      return pageOf([namesOf(await retry(() => db.values<ListEntryRow>(query)))], range);
    },
  });
}

/** No name contains it. It sorts after every other character. */
const lastCharacter = '\u{10ffff}';

async function* namesFrom(
  { list, blocks }: Head,
  start: string,
  reader: Reader,
): AsyncGenerator<BrowsedName[]> {
  for (const block of blocks.slice(Math.max(0, findLast(blocks, start)))) {
    const open = await loadBlock(list, block, reader, { isKept: true });
    const { fragments } = open;
    for (const fragment of fragments.slice(Math.max(0, findLast(fragments, start)))) {
      yield namesOf(parseRows(loadFragment(reader.kv, open, fragment, { isKept: true })));
    }
  }
}

async function pageOf(
  parts: Iterable<BrowsedName[]> | AsyncIterable<BrowsedName[]>,
  { prefix, after = '', limit }: Range,
) {
  const names: BrowsedName[] = [];
  for await (const part of parts) {
    for (const browsed of part) {
      const { name } = browsed;
      if (compareNames(name, prefix) < 0 || compareNames(name, after) <= 0) continue;
      const isWanted = name.startsWith(prefix);
      if (!isWanted || names.length === limit) return { names, hasMore: isWanted };
      names.push(browsed);
    }
  }
  return { names, hasMore: false };
}

/** The database reads two rows for each auction. */
const requestsOfDatabase = 2;

/**
 * Returns every published name, so that a list can be sorted and filtered as a whole. Remembered while the list keeps
 * its ETag.
 */
export function readNames(list: ListName, reader: Reader): Promise<readonly BrowsedName[]> {
  return readWithFallback(list, reader, {
    async fromHead(head) {
      const { lists } = memoryOf(reader.kv);
      const key = `${list} ${head.etag}`;
      const hit = lists.find('names', key);
      if (hit) return hit;
      const names: BrowsedName[] = [];
      for await (const part of namesFrom(head, '', reader)) names.push(...part);
      lists.keep('names', key, names, bytesOf(names));
      return names;
    },
    async fromDatabase(db, day) {
      await reader.countAs(requestsOfDatabase);
      const names: BrowsedName[] = [];
      for await (const page of entryPages(db, publicLists[list].entries, day)) {
        names.push(...namesOf(page));
      }
      return names;
    },
  });
}

/** Roughly an object with two empty strings and an array. */
const nameBytes = 200;

/** A character takes two bytes at most. */
function bytesOf(names: readonly BrowsedName[]): number {
  const sizeOf = ({ name, punycode }: BrowsedName) =>
    nameBytes + 2 * (name.length + punycode.length);
  return names.reduce((total, name) => total + sizeOf(name), 0);
}
