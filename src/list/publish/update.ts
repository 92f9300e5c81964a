import {
  type Block,
  type BlockStore,
  buildBlock,
  digestOf,
  findLast,
  openBlock,
  readEntries,
} from '../format/block.ts';
import { compareNames, type ListEntry } from '../format/entry.ts';
import { newBlockSplitter } from '../format/split.ts';
import type { Difference } from '../format/steps.ts';
import { blockKey, getBlock, putConstant, retryKv } from '../kv.ts';
import type { ListName } from '../lists.ts';

export interface ChangedName {
  name: string;
  entries: ListEntry[];
}

/**
 * Returns the blocks that building the list again would give. Cuts again from the block of a change to the next block
 * that begins where it did, then continues with the next change. Loads no other block.
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

/** Returns the entries with those of changed names replaced, and records the difference. */
function merge(
  before: readonly ListEntry[],
  changed: readonly ChangedName[],
  { added, removed }: Difference,
): ListEntry[] {
  const after: ListEntry[] = [];
  let position = 0;
  for (const { name, entries } of changed) {
    // Both lists are in the order of names.
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

const maximumPuts = 4;

interface Target {
  kv: KVNamespace;
  list: ListName;
  publication: string;
  /** KV has these already. */
  atHand: readonly Block[];
  expectInTime: () => void;
}

/** Writes blocks under the keys of a publication, which must be announced. */
export function blockWriter({ kv, list, publication, atHand, expectInTime }: Target) {
  const written: Block[] = [];
  const blocksByDigest = new Map(atHand.map((block) => [block.digest, block]));
  const puts = new Set<Promise<void>>();
  let failure: unknown;
  const store: BlockStore = {
    async load(block) {
      return readEntries(openBlock(await retryKv(() => getBlock(kv, list, block))));
    },
    /** Puts the block in the background; `finish` throws its error. */
    async save(entries: ListEntry[]) {
      const existing = blocksByDigest.size > 0 && blocksByDigest.get(await digestOf(entries));
      if (existing) return existing;
      const { block, value } = await buildBlock(publication, entries);
      while (puts.size >= maximumPuts) await Promise.race(puts);
      const attempt = async () => {
        // The build continues for the other lists of the pass.
        if (failure) return;
        expectInTime();
        await putConstant(kv, blockKey(list, block), value);
      };
      const put = attempt()
        .catch((error) => {
          failure ??= error;
        })
        .finally(() => puts.delete(put));
      puts.add(put);
      written.push(block);
      return block;
    },
  };
  const finish = async () => {
    await Promise.all(puts);
    if (failure) throw failure;
    expectInTime();
  };
  return { ...store, written, finish };
}
