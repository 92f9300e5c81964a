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

/** More puts at a time would only take memory. */
const maximumPuts = 4;

interface Target {
  kv: KVNamespace;
  list: ListName;
  publication: string;
  /** Runs before the first put, so that what a killed publisher leaves behind is known. */
  announce: () => Promise<void>;
  /** Throws a StaleError once the announcement may have been swept. */
  expectInTime: () => void;
}

export class BlockWriter implements BlockStore {
  readonly written: Block[] = [];
  readonly #target: Target;
  readonly #puts = new Set<Promise<void>>();
  #announced: Promise<void> | undefined;
  #error: unknown;

  constructor(target: Target) {
    this.#target = target;
  }

  load = async (block: Block): Promise<Entry[]> => {
    const { kv, list } = this.#target;
    return readEntries(openBlock(await tried(() => getBlock(kv, list, block))));
  };

  /** Puts the block in the background; `finish` throws what went wrong. */
  save = async (entries: Entry[], atHand: readonly Block[]): Promise<Block> => {
    const { kv, list, publication } = this.#target;
    if (atHand.length > 0) {
      const digest = await digestOf(entries);
      const same = atHand.find((block) => block.digest === digest);
      if (same) return same;
    }
    const { block, value } = await buildBlock(publication, entries);
    while (this.#puts.size >= maximumPuts) await Promise.race(this.#puts);
    const put = this.announced()
      .then(() => putConstant(kv, blockKey(list, block), value))
      .catch((error) => {
        this.#error ??= error;
      })
      .finally(() => this.#puts.delete(put));
    this.#puts.add(put);
    this.written.push(block);
    return block;
  };

  /** Throws if an earlier put failed, and a StaleError if it is too late to put anything. */
  async announced(): Promise<void> {
    if (this.#error) throw this.#error;
    this.#announced ??= this.#target.announce();
    await this.#announced;
    this.#target.expectInTime();
  }

  /** Waits for every put. Throws if one failed, or came too late. */
  async finish(): Promise<void> {
    await Promise.all(this.#puts);
    if (this.#error) throw this.#error;
  }
}
