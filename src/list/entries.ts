import { type SQL, sql } from 'drizzle-orm';
import { auctions, disputes, retainedDomains } from '../../drizzle/schema.ts';
import type { Database } from '../base/database/open.ts';
import { retried } from '../base/database/retry.ts';
import { isInForce } from '../name/retained/dispute.ts';
import type { Block } from './format/block.ts';
import { newBlockCutter } from './format/cut.ts';
import { type Entry, type EntryRow, entryOf } from './format/entry.ts';
import { type ListName, type NameStatus, publicLists } from './lists.ts';

/**
 * Entries on a day of the names that meet a condition on the column `name`, in the order of the lists. A name with two
 * disputes is disputed once. Both tables are read in the order of their names, so each row is read once.
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
  const ofRetained = sql`
    select name, punycode, status from ${retainedDomains} where ${names} and status in ${stored}`;
  const ofDisputes = sql`
    select name, punycode, 'disputed' as status from ${disputes}
    where ${names} and ${isInForce(day)} group by name`;
  const sources = [
    ...(stored.length > 0 ? [ofRetained] : []),
    ...(entries.includes('disputed') ? [ofDisputes] : []),
  ];
  return sql`${sql.join(sources, sql` union all `)} order by 1, 3 limit ${limit}`;
}

const pageRows = 5_000;

/** All entries on a day, in pages that end with the last entry of a name. */
export async function* entryPages(
  db: Database,
  entries: readonly NameStatus[],
  day: string,
): AsyncGenerator<EntryRow[]> {
  let first = '';
  for (;;) {
    const query = entriesQuery(entries, sql`name >= ${first}`, day, pageRows);
    const rows = await retried(() => db.values<EntryRow>(query));
    if (rows.length < pageRows) return yield rows;
    const [last] = rows.at(-1)!;
    yield rows.slice(
      0,
      rows.findIndex(([name]) => name === last),
    );
    first = last;
  }
}

/**
 * Builds a list from its whole source, with one page of rows and one block in memory. Changes made while it runs may or
 * may not be included.
 */
export async function buildList(
  db: Database,
  list: ListName,
  day: string,
  save: (entries: Entry[]) => Promise<Block>,
): Promise<Block[]> {
  const cutter = newBlockCutter();
  const blocks: Block[] = [];
  for await (const page of entryPages(db, publicLists[list].entries, day)) {
    for (const row of page) {
      const complete = cutter.add(entryOf(row));
      if (complete) blocks.push(await save(complete));
    }
  }
  const rest = cutter.rest();
  return rest.length > 0 ? [...blocks, await save(rest)] : blocks;
}
