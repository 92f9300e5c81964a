import { sql } from 'drizzle-orm';
import { retry } from '../../base/database/retry.ts';
import { entriesQuery } from '../entries.ts';
import { findFragment, findLast } from '../format/block.ts';
import { entryStart, type ListEntryRow } from '../format/entry.ts';
import type { Head } from '../format/head.ts';
import { blockKey } from '../kv.ts';
import {
  auctionList,
  isOfAuctions,
  type ListedStatus,
  type ListName,
  type NameStatus,
  publicLists,
  retainedList,
} from '../lists.ts';
import { memoryOf } from './memory.ts';
import { loadBlock, loadFragment, type Reader, readWithFallback } from './parts.ts';

export interface ListedName {
  /** In alphabetical order; empty for a name that is not retained. */
  statuses: ListedStatus[];
  isInAuction: boolean;
}

/** Returns what the published lists say about each name. Reads only the blocks that could contain them. */
export async function findNames(names: readonly string[], reader: Reader): Promise<ListedName[]> {
  const [retained, auctions] = await Promise.all([
    findEntries(retainedList, names, reader),
    findEntries(auctionList, names, reader),
  ]);
  return names.map((name) => nameOnLists(retained.get(name), auctions.get(name)));
}

/** Answers from memory; undefined unless this isolate has seen both lists in the last few seconds. */
export function recallName(
  name: string,
  kv: KVNamespace,
  nowMilliseconds: number,
): ListedName | undefined {
  const retained = recallEntries(retainedList, name, kv, nowMilliseconds);
  const auctions = retained && recallEntries(auctionList, name, kv, nowMilliseconds);
  return auctions && nameOnLists(retained, auctions);
}

type Statuses = NameStatus[];

function nameOnLists(retained: Statuses = [], auctions: Statuses = []): ListedName {
  return {
    statuses: retained.filter((status) => status !== 'auction'),
    isInAuction: auctions.length > 0,
  };
}

function findEntries(
  list: ListName,
  names: readonly string[],
  reader: Reader,
): Promise<Map<string, Statuses>> {
  return readWithFallback(list, reader, {
    fromHead: (head) => findInBlocks(head, names, reader),
    async fromDatabase(db, day) {
      const isNamed = sql`name in (select value from json_each(${JSON.stringify(names)}))`;
      const query = entriesQuery(publicLists[list].entries, isNamed, day);
      const rows = await retry(() => db.values<ListEntryRow>(query));
      const byName = Map.groupBy(rows, ([name]) => name);
      return new Map([...byName].map(([name, rows]) => [name, rows.map(([, , status]) => status)]));
    },
  });
}

function recallEntries(
  list: ListName,
  name: string,
  kv: KVNamespace,
  nowMilliseconds: number,
): Statuses | undefined {
  const memory = memoryOf(kv);
  const blocks = memory.findFresh(list, nowMilliseconds)?.head?.blocks;
  const block = blocks?.[findLast(blocks, name)];
  if (!blocks || !block) return blocks && [];
  const open = memory.parts.find('block', blockKey(list, block));
  if (!open) return undefined;
  const fragment = findFragment(open, name);
  return fragment ? statusesIn(loadFragment(kv, open, fragment, { isKept: true }), list, name) : [];
}

/** A Worker may have six connections open. */
const blocksAtOnce = 6;

/** Reads each block and decompresses each fragment once. Several names count as a request for each block. */
async function findInBlocks(
  { list, blocks }: Head,
  names: readonly string[],
  reader: Reader,
): Promise<Map<string, Statuses>> {
  const statuses = new Map<string, Statuses>();
  const grouped = Map.groupBy(names, (name) => blocks[findLast(blocks, name)]);
  // Names before the first block are on no list.
  const byBlock = [...grouped].flatMap(([block, names]) => (block ? [{ block, names }] : []));
  if (names.length > 1) await reader.countAs(byBlock.length);
  // Other requests are unlikely to need the blocks of a scattered look-up.
  const isKept = byBlock.length <= blocksAtOnce;
  const find = async ({ block, names }: (typeof byBlock)[number]) => {
    const open = await loadBlock(list, block, reader, { isKept });
    for (const [fragment, group] of Map.groupBy(names, (name) => findFragment(open, name))) {
      if (!fragment) continue;
      const text = loadFragment(reader.kv, open, fragment, { isKept });
      for (const name of group) statuses.set(name, statusesIn(text, list, name));
    }
  };
  for (let first = 0; first < byBlock.length; first += blocksAtOnce) {
    await Promise.all(byBlock.slice(first, first + blocksAtOnce).map(find));
  }
  return statuses;
}

const statusField = '"status":"';

/** The entries of a name are adjacent in its fragment. */
function statusesIn(text: string, list: ListName, name: string): Statuses {
  const isInAuction = isOfAuctions(list);
  const start = entryStart(name, isInAuction);
  const statuses: Statuses = [];
  for (let at = text.indexOf(start); at >= 0 && text.startsWith(start, at); ) {
    const status = at + start.length + statusField.length;
    statuses.push(
      isInAuction ? 'auction' : (text.slice(status, text.indexOf('"', status)) as ListedStatus),
    );
    at = text.indexOf('}', at) + '},'.length;
  }
  return statuses;
}
