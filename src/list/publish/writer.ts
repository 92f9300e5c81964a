import {
  type Block,
  type BlockStore,
  buildBlock,
  digestOf,
  openBlock,
  readEntries,
} from '../format/block.ts';
import type { Entry } from '../format/entry.ts';
import { blockKey, getBlock, putConstant, tried } from '../kv.ts';
import type { ListName } from '../lists.ts';

const maximumPuts = 4;

interface Target {
  kv: KVNamespace;
  list: ListName;
  publication: string;
  /** KV has these, so they need not be written again. */
  atHand: readonly Block[];
  expectInTime: () => void;
}

/** Writes blocks under the keys of a publication, which must be announced. */
export function blockWriter({ kv, list, publication, atHand, expectInTime }: Target) {
  const written: Block[] = [];
  const known = new Map(atHand.map((block) => [block.digest, block]));
  const puts = new Set<Promise<void>>();
  let failure: unknown;
  const store: BlockStore = {
    async load(block) {
      return readEntries(openBlock(await tried(() => getBlock(kv, list, block))));
    },
    /** Puts the block in the background; `finish` throws what went wrong. */
    async save(entries: Entry[]) {
      const same = known.size > 0 && known.get(await digestOf(entries));
      if (same) return same;
      const { block, value } = await buildBlock(publication, entries);
      while (puts.size >= maximumPuts) await Promise.race(puts);
      const attempt = async () => {
        // Other lists are built in the same pass.
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
