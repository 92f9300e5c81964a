import type { Database } from '../database/open.ts';
import { entryPages } from './entries.ts';
import type { Block, BlockStore } from './format/block.ts';
import { newBlockCutter } from './format/cut.ts';
import { type Entry, type EntryRow, entryOf } from './format/entry.ts';
import { isOfAuctions, type ListName, publicLists, retainedList, shows } from './lists.ts';

export interface Building {
  list: ListName;
  save: BlockStore['save'];
  /** Blocks that KV has already, so they are not written again. */
  atHand: readonly Block[];
}

/**
 * Builds lists from their whole source, and returns the blocks of each list, or the reason why it failed. All lists of
 * retained names are built in one pass over the names. Holds one page of rows, and one block of each list, in memory.
 * Changes made while it runs may or may not be included.
 */
export async function buildLists(
  db: Database,
  buildings: readonly Building[],
  day: string,
): Promise<Map<ListName, Block[] | Error>> {
  const built = new Map<ListName, Block[] | Error>();
  const ofAuctions = buildings.filter(({ list }) => isOfAuctions(list));
  const ofNames = buildings.filter(({ list }) => !isOfAuctions(list));
  const { entries } = publicLists[retainedList];
  if (ofAuctions.length > 0) await fill(ofAuctions, entryPages(db, 'auctions', day), built);
  if (ofNames.length > 0) await fill(ofNames, entryPages(db, entries, day), built);
  return built;
}

/** A list that has failed is skipped for the rest of the pass. */
async function fill(
  buildings: readonly Building[],
  pages: AsyncGenerator<EntryRow[]>,
  built: Map<ListName, Block[] | Error>,
): Promise<void> {
  let works = buildings.map((building) => new Work(building));
  const onEach = async (step: (work: Work) => Promise<void>) => {
    for (const work of works) {
      await step(work).catch((error: Error) => built.set(work.building.list, error));
    }
    works = works.filter(({ building }) => !built.has(building.list));
  };
  for await (const page of pages) await onEach((work) => work.add(page));
  await onEach((work) => work.finish());
  for (const { building, blocks } of works) built.set(building.list, blocks);
}

class Work {
  readonly building: Building;
  readonly blocks: Block[] = [];
  readonly #cutter = newBlockCutter();

  constructor(building: Building) {
    this.building = building;
  }

  async add(page: readonly EntryRow[]): Promise<void> {
    for (const row of page) {
      const [, , status] = row;
      if (status !== 'auction' && !shows(this.building.list, status)) continue;
      const complete = this.#cutter.add(entryOf(row));
      if (complete) await this.#save(complete);
    }
  }

  async finish(): Promise<void> {
    const rest = this.#cutter.rest();
    if (rest.length > 0) await this.#save(rest);
  }

  async #save(entries: Entry[]): Promise<void> {
    this.blocks.push(await this.building.save(entries, this.building.atHand));
  }
}
