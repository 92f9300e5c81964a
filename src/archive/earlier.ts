import { type Block, buildBlock, findLast, openBlock } from '../public-list/format/block.ts';
import { compareNames, type Entry, entryOf, parseRows } from '../public-list/format/entry.ts';
import { createHead, type Head } from '../public-list/format/head.ts';
import { differenceSince, type Steps } from '../public-list/format/steps.ts';
import { updateBlocks } from '../public-list/publish/update.ts';

/** An earlier content of a list, and the data of the blocks that only it has. */
export interface Earlier {
  head: Head;
  data: Map<string, Uint8Array<ArrayBuffer>>;
}

/**
 * The content that had the ETag, by undoing the steps that lead from it to the published one. Undefined if they do not
 * lead back to exactly that content.
 */
export async function findEarlier(
  current: Head,
  steps: Steps,
  etag: string,
  load: (block: Block) => Promise<Entry[]>,
): Promise<Earlier | undefined> {
  const difference = differenceSince(steps, etag);
  if (!difference) return undefined;
  const data = new Map<string, Uint8Array<ArrayBuffer>>();
  const save = async (entries: Entry[]) => {
    const { block, value } = await buildBlock('', entries);
    data.set(block.digest, openBlock(value.buffer).data);
    return block;
  };
  const changed = await undone(current, difference, load);
  const { blocks } = await updateBlocks(current.blocks, changed, { load, save });
  const head = await createHead(current.list, '', blocks);
  return head.etag === etag ? { head, data } : undefined;
}

/** The names that the difference concerns, each with the entries that it had before. */
async function undone(
  { blocks }: Head,
  { added, removed }: { added: readonly string[]; removed: readonly string[] },
  load: (block: Block) => Promise<Entry[]>,
) {
  const [came, went] = [entriesOf(added), entriesOf(removed)];
  const names = [...new Set([...came, ...went].map(({ name }) => name))].sort(compareNames);
  const isAdded = new Set(added);
  const wentByName = Map.groupBy(went, ({ name }) => name);
  const changed: { name: string; entries: Entry[] }[] = [];
  for (const [block, ofBlock] of Map.groupBy(names, (name) => blocks[findLast(blocks, name)])) {
    const byName = Map.groupBy(block ? await load(block) : [], ({ name }) => name);
    for (const name of ofBlock) {
      const stayed = (byName.get(name) ?? []).filter(({ json }) => !isAdded.has(json));
      const entries = [...stayed, ...(wentByName.get(name) ?? [])];
      changed.push({ name, entries: entries.sort((a, b) => (a.json < b.json ? -1 : 1)) });
    }
  }
  return changed;
}

function entriesOf(json: readonly string[]): Entry[] {
  return parseRows(json.join(',')).map(entryOf);
}
