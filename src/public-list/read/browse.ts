import { sql } from 'drizzle-orm';
import { retried } from '../../database/retry.ts';
import { entriesQuery, entryPages } from '../entries.ts';
import { findLast, readFragment } from '../format/block.ts';
import {
  type BrowsedName,
  compareNames,
  type EntryRow,
  namesOf,
  parseRows,
} from '../format/entry.ts';
import type { Head } from '../format/head.ts';
import { type ListName, publicLists } from '../lists.ts';
import { memoryOf } from './memory.ts';
import { loadBlock, loadFragment, type Reader, readWithFallback } from './reader.ts';

export type { BrowsedName };

/** Some of a list's names, in its order. */
export interface Browsed {
  names: BrowsedName[];
  /** Whether more names follow the last one. */
  hasMore: boolean;
}

/** The names of a list that are asked for. */
export interface Range {
  /** Lower case, NFC, not punycode; empty for all names. */
  prefix: string;
  /** Only names after this one in the list's order. */
  after?: string | undefined;
  /** At most so many; 1 or more. */
  limit: number;
}

/**
 * The names of a list, as it was last published, that begin with a prefix. A name with several statuses is one name.
 * Reads only the blocks that contain the names, so it costs the same however long the list is. Asks the database only
 * if KV has no such list, lacks a part of it, or fails.
 */
export function browseNames(list: ListName, range: Range, reader: Reader): Promise<Browsed> {
  return readWithFallback(list, reader, {
    fromHead: (head) => browseBlocks(head, range, reader),
    async fromDatabase(db, day) {
      const page = new Page(range);
      const { entries } = publicLists[list];
      const within = sql`name >= ${page.start} and name < ${range.prefix + lastCharacter}`;
      // A name has at most one entry of each kind. The page may begin after a name, and looks one name ahead.
      const limit = (range.limit + 2) * (entries === 'auctions' ? 1 : entries.length);
      const query = entriesQuery(entries, within, day, limit);
      const rows = await retried(() => db.values<EntryRow>(query));
      for (const name of namesOf(rows)) page.add(name);
      return page.result();
    },
  });
}

/** No name contains it, and in the lists' order it follows every other. */
const lastCharacter = '\u{10ffff}';

async function browseBlocks(head: Head, range: Range, reader: Reader): Promise<Browsed> {
  const page = new Page(range);
  for (const block of partsFrom(head.blocks, page.start)) {
    if (!page.wants(block.first)) break;
    const open = await loadBlock(head.list, block, reader, { isKept: true });
    for (const fragment of partsFrom(open.fragments, page.start)) {
      if (!page.wants(fragment.first)) break;
      const text = loadFragment(reader.kv, head.list, block, open, fragment);
      for (const name of namesOf(parseRows(text))) page.add(name);
    }
  }
  return page.result();
}

/** The part that the name belongs to, and the parts after it. */
function partsFrom<Part extends { first: string }>(parts: readonly Part[], name: string): Part[] {
  return parts.slice(Math.max(0, findLast(parts, name)));
}

/** Collects names that come in order. */
class Page {
  readonly #names: BrowsedName[] = [];
  #hasMore = false;
  /** No name before this one belongs to the page. */
  readonly start: string;
  readonly #range: Range;

  constructor(range: Range) {
    const { prefix, after = '' } = range;
    this.#range = range;
    this.start = compareNames(after, prefix) > 0 ? after : prefix;
  }

  /** Whether to read a part that begins with the name. A full page only notes whether the name would be next. */
  wants(first: string): boolean {
    const { prefix, limit } = this.#range;
    // The part that the page starts in may begin before the prefix.
    if (compareNames(first, this.start) <= 0) return true;
    if (!first.startsWith(prefix)) return false;
    if (this.#names.length === limit) this.#hasMore = true;
    return !this.#hasMore;
  }

  add(name: BrowsedName): void {
    const { prefix, after = '', limit } = this.#range;
    if (!name.name.startsWith(prefix) || compareNames(name.name, after) <= 0) return;
    if (this.#names.length < limit) this.#names.push(name);
    else this.#hasMore = true;
  }

  result(): Browsed {
    return { names: this.#names, hasMore: this.#hasMore };
  }
}

/**
 * Every name of a list, as it was last published: for a list that is sorted and filtered as a whole, such as the
 * auctions. Remembered for as long as the list keeps its ETag.
 */
export function readNames(list: ListName, reader: Reader): Promise<readonly BrowsedName[]> {
  return readWithFallback(list, reader, {
    fromHead: (head) => namesInBlocks(head, reader),
    async fromDatabase(db, day) {
      const names: BrowsedName[] = [];
      for await (const rows of entryPages(db, publicLists[list].entries, day)) {
        for (const name of namesOf(rows)) names.push(name);
      }
      return names;
    },
  });
}

/** Roughly what an object with two strings and an array occupies, without the characters of the strings. */
const nameBytes = 200;

async function namesInBlocks(
  { list, etag, blocks }: Head,
  reader: Reader,
): Promise<readonly BrowsedName[]> {
  const { cache } = memoryOf(reader.kv);
  const key = `${list} ${etag}`;
  const kept = cache.find('names', key);
  if (kept) return kept;
  const names: BrowsedName[] = [];
  for (const block of blocks) {
    const open = await loadBlock(list, block, reader, { isKept: false });
    for (const fragment of open.fragments) {
      const text = readFragment(open, fragment);
      for (const name of namesOf(parseRows(text))) names.push(name);
    }
  }
  const characters = names.reduce(
    (total, { name, punycode }) => total + name.length + punycode.length,
    0,
  );
  // A character takes two bytes at most.
  cache.keep('names', key, names, names.length * nameBytes + 2 * characters);
  return names;
}
