import type { Database } from '../../database/open.ts';
import { type Block, findFragment, findLast } from '../format/block.ts';
import { entryStart } from '../format/entry.ts';
import type { Head } from '../format/head.ts';
import {
  auctionList,
  type ListedStatus,
  type ListName,
  publicLists,
  retainedList,
} from '../lists.ts';
import { listEntries } from '../publish/source.ts';
import { readWithFallback } from './fallback.ts';
import { loadBlock, loadFragment, type Reader } from './reader.ts';

/** What the public lists say about a name. */
export interface ListedName {
  /** In alphabetical order; empty for a name that is not retained. */
  statuses: ListedStatus[];
  isInAuction: boolean;
}

/**
 * What the lists, as they were last published, say about each of the names. Reads only the blocks that could contain
 * the names, and asks the database only if KV has no such list, lacks a part of it, or fails.
 */
export async function findNames(names: readonly string[], reader: Reader): Promise<ListedName[]> {
  const [retained, auctions] = await Promise.all([
    findEntries(retainedList, names, reader),
    findEntries(auctionList, names, reader),
  ]);
  return names.map((name) => ({
    statuses: (retained.get(name) ?? []).flatMap((status) => (status === 'auction' ? [] : status)),
    isInAuction: (auctions.get(name) ?? []).length > 0,
  }));
}

type Statuses = (ListedStatus | 'auction')[];

function findEntries(
  list: ListName,
  names: readonly string[],
  reader: Reader,
): Promise<Map<string, Statuses>> {
  return readWithFallback(list, reader, {
    fromHead: (head) => findInBlocks(head, names, reader),
    fromDatabase: (db, day) => findInDatabase(db, list, names, day),
  });
}

/** How many blocks are loaded at the same time: a Worker may have six connections open. */
const blocksAtOnce = 6;

async function findInBlocks(
  head: Head,
  names: readonly string[],
  reader: Reader,
): Promise<Map<string, Statuses>> {
  const namesOf = Map.groupBy(names, (name) => head.blocks[findLast(head.blocks, name)]);
  const found = new Map<string, Statuses>();
  const find = async (block: Block, names: readonly string[]) => {
    const open = await loadBlock(head.list, block, reader, { isKept: true });
    for (const name of names) {
      const fragment = findFragment(open, name);
      const text = fragment ? loadFragment(head.list, block, open, fragment, reader) : '';
      found.set(name, statusesIn(text, head.list, name));
    }
  };
  const blocks = [...namesOf].flatMap(([block, names]) => (block ? [{ block, names }] : []));
  for (let first = 0; first < blocks.length; first += blocksAtOnce) {
    const some = blocks.slice(first, first + blocksAtOnce);
    await Promise.all(some.map(({ block, names }) => find(block, names)));
  }
  return found;
}

const statusField = '"status":"';

/** The statuses in the name's entries, which follow one another in the text. */
function statusesIn(text: string, list: ListName, name: string): Statuses {
  const { entries } = publicLists[list];
  const start = entryStart(name, entries);
  const statuses: Statuses = [];
  for (let at = text.indexOf(start); at >= 0 && text.startsWith(start, at); ) {
    const status = at + start.length + statusField.length;
    statuses.push(
      entries === 'auctions'
        ? 'auction'
        : (text.slice(status, text.indexOf('"', status)) as ListedStatus),
    );
    at = text.indexOf('}', at) + '},'.length;
  }
  return statuses;
}

async function findInDatabase(
  db: Database,
  list: ListName,
  names: readonly string[],
  day: string,
): Promise<Map<string, Statuses>> {
  const found = new Map<string, Statuses>();
  for (const [name, , status] of await listEntries(db, list, names, day)) {
    found.set(name, [...(found.get(name) ?? []), status]);
  }
  return found;
}
