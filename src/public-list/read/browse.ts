import { retried } from '../../database/retry.ts';
import { auctionPages, rangeOfEntries, retainedPages } from '../entries.ts';
import { findLast, readFragment } from '../format/block.ts';
import { compareNames, type EntryRow, parseRows } from '../format/entry.ts';
import type { Head } from '../format/head.ts';
import { type ListedStatus, type ListName, shows } from '../lists.ts';
import { isOfAuctions } from '../publish/source.ts';
import { readWithFallback } from './fallback.ts';
import { loadBlock, loadFragment, memoryOf, type Reader } from './reader.ts';

/** A name of a list. */
export interface BrowsedName {
  name: string;
  punycode: string;
  /** Alphabetical; empty in the list of auctions. */
  statuses: ListedStatus[];
}

/** Some of a list's names, in its order. */
export interface Browsed {
  names: BrowsedName[];
  /** Whether more names follow the last one. */
  hasMore: boolean;
}

/** Which names of a list are asked for. */
export interface Range {
  /** Lower case, NFC, not punycode; empty for all names. */
  prefix: string;
  /** Only names after this one in the list's order. */
  after?: string | undefined;
  /** How many at most; 1 or more. */
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
      const { start: from } = page;
      const bounds = { from, isAfter: from === range.after, to: range.prefix + lastCharacter };
      const limit = range.limit + 1;
      const rows = await retried(() => rangeOfEntries(db, list, bounds, { limit, day }));
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
      const text = loadFragment(head.list, block, open, fragment, reader);
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
      const rows: EntryRow[] = [];
      const pages = isOfAuctions(list) ? auctionPages(db) : retainedPages(db, day);
      for await (const page of pages) {
        for (const row of page) if (row[2] === 'auction' || shows(list, row[2])) rows.push(row);
      }
      return namesOf(rows);
    },
  });
}

/** Roughly what an object with two strings and an array occupies, without the characters of the strings. */
const nameBytes = 200;

async function namesInBlocks(
  { list, etag, blocks }: Head,
  reader: Reader,
): Promise<readonly BrowsedName[]> {
  const shelf = memoryOf(reader).names;
  const key = `${list} ${etag}`;
  const kept = shelf.find(key);
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
  shelf.keep(key, names, names.length * nameBytes + 2 * characters);
  return names;
}

/** The names of entries that come in order. */
function namesOf(rows: readonly EntryRow[]): BrowsedName[] {
  const names: BrowsedName[] = [];
  for (const [name, punycode, status] of rows) {
    const statuses = status === 'auction' ? [] : [status];
    const last = names.at(-1);
    if (last?.name === name) last.statuses.push(...statuses);
    else names.push({ name, punycode, statuses });
  }
  return names;
}
