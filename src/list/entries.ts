import { type SQL, sql } from 'drizzle-orm';
import { auctions, disputes, isInForce, retainedDomains } from '../../drizzle/schema.ts';
import type { Database } from '../base/database/open.ts';
import { retry } from '../base/database/retry.ts';
import type { Block } from './format/block.ts';
import { entryOf, type ListEntry, type ListEntryRow } from './format/entry.ts';
import { newBlockSplitter } from './format/split.ts';
import { type ListName, type NameStatus, publicLists, shows } from './lists.ts';

/**
 * Selects a day's entries whose `name` meets a condition, in the order of the lists. A name with two disputes has one
 * entry. Both tables are read in the order of their names, so each row is read once.
 */
export function entriesQuery(
  entries: readonly NameStatus[],
  names: SQL,
  day: string,
  limit = -1,
): SQL {
  if (entries.includes('auction')) {
    return sql`
      select name, punycode, 'auction' as status from ${auctions}
      where status = 'started' and ${names} order by name limit ${limit}`;
  }
  const stored = entries.filter((status) => status !== 'disputed');
  const retainedQuery = sql`
    select name, punycode, status from ${retainedDomains} where ${names} and status in ${stored}`;
  const disputesQuery = sql`
    select name, punycode, 'disputed' as status from ${disputes}
    where ${names} and ${isInForce(day)} group by name`;
  const sources = [
    ...(stored.length > 0 ? [retainedQuery] : []),
    ...(entries.includes('disputed') ? [disputesQuery] : []),
  ];
  return sql`${sql.join(sources, sql` union all `)} order by 1, 3 limit ${limit}`;
}

const pageRows = 5_000;

/** Yields all entries of a day in pages that never split a name. */
export async function* entryPages(
  db: Database,
  entries: readonly NameStatus[],
  day: string,
): AsyncGenerator<ListEntryRow[]> {
  let first = '';
  for (;;) {
    const query = entriesQuery(entries, sql`name >= ${first}`, day, pageRows);
    const rows = await retry(() => db.values<ListEntryRow>(query));
    if (rows.length < pageRows) return yield rows;
    const [last] = rows.at(-1)!;
    yield rows.slice(
      0,
      rows.findIndex(([name]) => name === last),
    );
    first = last;
  }
}

interface Building {
  list: ListName;
  save: (entries: ListEntry[]) => Promise<Block>;
}

/**
 * Builds lists from the database, those of one path in one pass, with one page of rows and one block of each list in
 * memory. Changes made meanwhile may be included.
 */
export async function buildLists(
  db: Database,
  buildings: readonly Building[],
  day: string,
): Promise<Map<ListName, Block[]>> {
  const works = buildings.map((building) => {
    return { ...building, splitter: newBlockSplitter(), blocks: [] as Block[] };
  });
  for (const samePath of Map.groupBy(works, ({ list }) => publicLists[list].path).values()) {
    const statuses = new Set(
      samePath.flatMap(({ list }): NameStatus[] => [...publicLists[list].entries]),
    );
    for await (const page of entryPages(db, [...statuses], day)) {
      for (const { list, save, splitter, blocks } of samePath) {
        for (const row of page.filter(([, , status]) => shows(list, status))) {
          const complete = splitter.add(entryOf(row));
          if (complete) blocks.push(await save(complete));
        }
      }
    }
  }
  for (const { save, splitter, blocks } of works) {
    const rest = splitter.rest();
    if (rest.length > 0) blocks.push(await save(rest));
  }
  return new Map(works.map(({ list, blocks }) => [list, blocks]));
}
