import { type Block, type BlockStore, findLast } from '../format/block.ts';
import { beginsBlock, cutBlocks } from '../format/cut.ts';
import { compareNames, type Entry } from '../format/entry.ts';
import type { Difference } from '../format/steps.ts';

/** A name that has changed, with the entries that it has in the list now. */
export interface ChangedName {
  name: string;
  entries: Entry[];
}

/**
 * The blocks from a name that always begins a block (`beginsBlock`) up to the next such name. When one of them
 * changes, they are cut again together.
 */
interface Run {
  from: number;
  to: number;
}

/**
 * The blocks of a list after some of its names have changed: exactly the blocks that building the list again would
 * give. Loads only the runs that contain the names.
 */
export async function updateBlocks(
  blocks: readonly Block[],
  changed: readonly ChangedName[],
  store: BlockStore,
): Promise<{ blocks: Block[]; difference: Difference }> {
  const updated: Block[] = [];
  const difference: Difference = { added: [], removed: [] };
  let [next, position] = [0, 0];
  for (const { from, to } of runsOf(blocks, changed)) {
    updated.push(...blocks.slice(position, from));
    const old = blocks.slice(from, to);
    const end = blocks[to]?.first;
    const first = next;
    while (next < changed.length && isBefore(changed[next], end)) next += 1;
    const before = (await Promise.all(old.map(store.load))).flat();
    const after = merge(before, changed.slice(first, next), difference);
    for (const entries of cutBlocks(after)) updated.push(await store.save(entries, old));
    position = to;
  }
  updated.push(...blocks.slice(position));
  return { blocks: updated, difference };
}

function isBefore(changed: ChangedName | undefined, end: string | undefined): boolean {
  return changed !== undefined && (end === undefined || compareNames(changed.name, end) < 0);
}

/** The runs that contain the names, in order, without overlaps. */
function runsOf(blocks: readonly Block[], changed: readonly ChangedName[]): Run[] {
  const runs: Run[] = [];
  for (const { name, entries } of changed) {
    const at = Math.max(0, findLast(blocks, name));
    // A block that loses its first name becomes part of the run before it.
    let from = blocks[at]?.first === name && entries.length === 0 ? Math.max(0, at - 1) : at;
    while (from > 0 && !beginsBlock(blocks[from]?.first ?? '')) from -= 1;
    let to = Math.min(at + 1, blocks.length);
    while (to < blocks.length && !beginsBlock(blocks[to]?.first ?? '')) to += 1;
    const last = runs.at(-1);
    if (last && from < last.to) last.to = Math.max(last.to, to);
    else runs.push({ from, to });
  }
  // An empty list has one run without blocks.
  return runs.length > 0 && blocks.length === 0 ? [{ from: 0, to: 0 }] : runs;
}

/** Replaces the entries of the changed names, and records what that adds and removes. */
function merge(
  before: readonly Entry[],
  changed: readonly ChangedName[],
  { added, removed }: Difference,
): Entry[] {
  const after: Entry[] = [];
  let position = 0;
  for (const { name, entries } of changed) {
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
