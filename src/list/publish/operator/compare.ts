import type { Database } from '../../../base/database/open.ts';
import { dayOf } from '../../../base/time/day.ts';
import { buildLists } from '../../entries.ts';
import { buildBlock, digestOf, openBlock, readEntries } from '../../format/block.ts';
import type { ListEntry } from '../../format/entry.ts';
import { getBlock, retryKv } from '../../kv.ts';
import { type ListName, listNames } from '../../lists.ts';
import { findStoredHead } from '../../stored.ts';
import { isBehind, readSource } from '../source.ts';

/**
 * Returns whether each list in KV equals the database. Skips lists that are behind or were published meanwhile. Reads
 * every row and every block. Throws a MissingBlockError if KV lacks one.
 */
export async function compareLists(db: Database, kv: KVNamespace, now: Date) {
  const heads = await Promise.all(listNames.map((list) => findStoredHead(kv, list)));
  const save = async (entries: ListEntry[]) => (await buildBlock('', entries)).block;
  const building = listNames.map((list) => ({ list, save }));
  const built = await buildLists(db, building, dayOf(now));
  const source = await readSource(db, now);
  const results = new Map<ListName, boolean>();
  for (const head of heads) {
    if (!head || isBehind({ ...head, inKv: head }, source)) continue;
    const inKv: string[] = [];
    for (const block of head.blocks) {
      const value = await retryKv(() => getBlock(kv, head.list, block));
      inKv.push(await digestOf(readEntries(openBlock(value))));
    }
    const inDatabase = built.get(head.list)!.map(({ digest }) => digest);
    results.set(head.list, inKv.join() === inDatabase.join());
  }
  return results;
}
