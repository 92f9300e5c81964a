import type { Database } from '../base/database/open.ts';
import { entryPages } from './entries.ts';
import type { Block } from './format/block.ts';
import { newBlockCutter } from './format/cut.ts';
import { type Entry, type EntryRow, entryOf } from './format/entry.ts';
import { isOfAuctions, type ListName, publicLists, retainedList, shows } from './lists.ts';

export interface Building {
  list: ListName;
  save: (entries: Entry[]) => Promise<Block>;
}

/**
 * Builds lists from their whole source, all lists of retained names in one pass, with one page of rows and one block of
 * each list in memory. Changes made while it runs may or may not be included.
 */
export async function buildLists(
  db: Database,
  buildings: readonly Building[],
  day: string,
): Promise<Map<ListName, Block[]>> {
  const ofAuctions = buildings.filter(({ list }) => isOfAuctions(list));
  const ofNames = buildings.filter(({ list }) => !isOfAuctions(list));
  const { entries } = publicLists[retainedList];
  return new Map([
    ...(ofAuctions.length > 0 ? await fill(ofAuctions, entryPages(db, ['auction'], day)) : []),
    ...(ofNames.length > 0 ? await fill(ofNames, entryPages(db, entries, day)) : []),
  ]);
}

async function fill(
  buildings: readonly Building[],
  pages: AsyncGenerator<EntryRow[]>,
): Promise<Map<ListName, Block[]>> {
  const works = buildings.map((building) => {
    return { ...building, cutter: newBlockCutter(), blocks: [] as Block[] };
  });
  for await (const page of pages) {
    for (const { list, save, cutter, blocks } of works) {
      for (const row of page) {
        const [, , status] = row;
        if (!shows(list, status)) continue;
        const complete = cutter.add(entryOf(row));
        if (complete) blocks.push(await save(complete));
      }
    }
  }
  for (const { save, cutter, blocks } of works) {
    const rest = cutter.rest();
    if (rest.length > 0) blocks.push(await save(rest));
  }
  return new Map(works.map(({ list, blocks }) => [list, blocks]));
}
