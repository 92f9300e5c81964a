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

/** The most puts at a time; more would only take memory. */
const maximumPuts = 4;

/** Writes the blocks of one publication of a list to KV. */
export class BlockWriter implements BlockStore {
  /** The blocks that were written because they were not at hand. */
  readonly written: Block[] = [];
  readonly #kv: KVNamespace;
  readonly #list: ListName;
  readonly #publication: string;
  readonly #announce: () => Promise<void>;
  readonly #expectInTime: () => void;
  readonly #puts = new Set<Promise<void>>();
  #announced: Promise<void> | undefined;
  #error: unknown;

  /**
   * `announce` runs before the first put, so that what a killed publisher leaves behind is known. `expectInTime` throws
   * once the announcement may have been swept.
   */
  constructor(
    kv: KVNamespace,
    list: ListName,
    publication: string,
    { announce, expectInTime }: { announce: () => Promise<void>; expectInTime: () => void },
  ) {
    this.#kv = kv;
    this.#list = list;
    this.#publication = publication;
    this.#announce = announce;
    this.#expectInTime = expectInTime;
  }

  load = async (block: Block): Promise<Entry[]> =>
    readEntries(openBlock(await tried(() => getBlock(this.#kv, this.#list, block))));

  /** Throws if an earlier put failed. */
  save = async (entries: Entry[], atHand: readonly Block[]): Promise<Block> => {
    if (this.#error) throw this.#error;
    if (atHand.length > 0) {
      const digest = await digestOf(entries);
      const same = atHand.find((block) => block.digest === digest);
      if (same) return same;
    }
    const { block, value } = await buildBlock(this.#publication, entries);
    while (this.#puts.size >= maximumPuts) await Promise.race(this.#puts);
    await this.announced();
    const put = putConstant(this.#kv, blockKey(this.#list, block), value)
      .catch((error) => {
        this.#error ??= error;
      })
      .finally(() => this.#puts.delete(put));
    this.#puts.add(put);
    this.written.push(block);
    return block;
  };

  /** Throws a StaleError if it is too late to put anything. */
  async announced(): Promise<void> {
    this.#announced ??= this.#announce();
    await this.#announced;
    this.#expectInTime();
  }

  /** Waits for every put. Throws if one failed. */
  async finish(): Promise<void> {
    await Promise.all(this.#puts);
    if (this.#error) throw this.#error;
  }
}
