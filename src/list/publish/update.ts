import { type Block, type BlockStore, findLast } from '../format/block.ts';
import { newBlockSplitter } from '../format/cut.ts';
import { compareNames, type Entry } from '../format/entry.ts';
import type { Difference } from '../format/steps.ts';

export interface ChangedName {
  name: string;
  entries: Entry[];
}

/**
 * The blocks that building the list again would give. Cuts again from the block of the first change to the next block
 * that begins where it did, and so on from the next change. Loads no other block.
 */
export async function updateBlocks(
  blocks: readonly Block[],
  changed: readonly ChangedName[],
  store: BlockStore,
): Promise<{ blocks: Block[]; difference: Difference }> {
  const updated: Block[] = [];
  const difference: Difference = { added: [], removed: [] };
  let [next, position] = [0, 0];
  for (let change = changed[next]; change; change = changed[next]) {
    const at = Math.max(0, findLast(blocks, change.name));
    // A block that loses its first name may become part of the block before it.
    const from = isRemoved(blocks[at], change) ? Math.max(0, at - 1) : at;
    updated.push(...blocks.slice(position, from));
    position = from;
    const splitter = newBlockSplitter();
    let end: Block | undefined;
    do {
      const block = blocks[position];
      end = blocks[++position];
      const first = next;
      while (next < changed.length && isBefore(changed[next], end?.first)) next += 1;
      const before = block ? await store.load(block) : [];
      for (const entry of merge(before, changed.slice(first, next), difference)) {
        const complete = splitter.add(entry);
        if (complete) updated.push(await store.save(complete));
      }
    } while (end && (isRemoved(end, changed[next]) || !splitter.startsNewPart(end.first)));
    if (splitter.rest().length > 0) updated.push(await store.save(splitter.rest()));
  }
  updated.push(...blocks.slice(position));
  return { blocks: updated, difference };
}

function isRemoved(block: Block | undefined, change: ChangedName | undefined): boolean {
  return block !== undefined && block.first === change?.name && change.entries.length === 0;
}

function isBefore(changed: ChangedName | undefined, end: string | undefined): boolean {
  return changed !== undefined && (end === undefined || compareNames(changed.name, end) < 0);
}

/** The entries, with those of each changed name in place of its old ones; also records what that adds and removes. */
function merge(
  before: readonly Entry[],
  changed: readonly ChangedName[],
  { added, removed }: Difference,
): Entry[] {
  const after: Entry[] = [];
  let position = 0;
  for (const { name, entries } of changed) {
    // Names before it stay; both lists are in the order of names.
    while (position < before.length && compareNames(before[position]!.name, name) < 0) {
      after.push(before[position++]!);
    }
    const old: string[] = [];
    while (before[position]?.name === name) old.push(before[position++]!.json);
    const now = entries.map(({ json }) => json);
    removed.push(...old.filter((json) => !now.includes(json)));
    added.push(...now.filter((json) => !old.includes(json)));
    after.push(...entries);
  }
  // One by one, because the number of arguments of a call is limited.
  while (position < before.length) after.push(before[position++]!);
  return after;
}
