import { sql } from 'drizzle-orm';
import { auctions, disputes, retainedDomains, retainedStatuses } from '../../drizzle/schema.ts';
import type { Database } from '../database/open.ts';
import { retried } from '../database/retry.ts';
import type { EntryRow } from './entry.ts';
import { type ListedStatus, type ListName, publicLists, shows } from './lists.ts';

/** Rows in a page: enough to make round trips few, few enough to weigh nothing. */
const pageRows = 5_000;

/** Names in auction, in pages, ordered by name. Every row is read once, from the index of auctions in progress. */
export function auctionPages(db: Database): AsyncGenerator<EntryRow[]> {
  return pages((last) => {
    const [name] = last ?? [''];
    return db.values<EntryRow>(sql`
      select name, punycode, 'auction' from ${auctions}
      where status = 'started' and name > ${name} order by name limit ${pageRows}`);
  });
}

/**
 * Reserved and blocked names and those in dispute on a day, in pages, ordered by name, then status; a name with
 * two disputes appears once as disputed. Both tables are walked along their names, so that every row is read once.
 */
export function retainedPages(db: Database, day: string): AsyncGenerator<EntryRow[]> {
  return pages((last) => {
    const [name, , status] = last ?? ['', '', ''];
    // The plus keeps the days' indexes out of it: their order would mean reading all disputes for every page.
    return db.values<EntryRow>(sql`
      select name, punycode, status from ${retainedDomains} where (name, status) > (${name}, ${status})
      union all
      select name, punycode, 'disputed' from ${disputes}
      where name >= ${name} and (name > ${name} or 'disputed' > ${status})
        and +first_day <= ${day} and +last_day >= ${day}
      group by name
      order by 1, 3 limit ${pageRows}`);
  });
}

/** Names of a list in its order, from one name to another. */
export interface Bounds {
  from: string;
  /** Whether `from` itself is left out. */
  isAfter: boolean;
  /** Left out itself. */
  to: string;
}

/**
 * The entries that the first names within the bounds have in a list on a day; perhaps some entries of the names that
 * follow. Both tables are walked from the first name on: the rows read grow with `limit`, and with the names on the way
 * that only other lists have.
 */
export function rangeOfEntries(
  db: Database,
  list: ListName,
  { from, isAfter, to }: Bounds,
  { limit, day }: { limit: number; day: string },
): Promise<EntryRow[]> {
  const { entries } = publicLists[list];
  const isWithin = sql`${isAfter ? sql`name > ${from}` : sql`name >= ${from}`} and name < ${to}`;
  if (entries === 'auctions') {
    return db.values<EntryRow>(sql`
      select name, punycode, 'auction' from ${auctions}
      where status = 'started' and ${isWithin} order by name limit ${limit}`);
  }
  const ofDisputes = sql`
    select name, punycode, 'disputed' as status from ${disputes}
    where ${isWithin} and +first_day <= ${day} and +last_day >= ${day} group by name`;
  const ofRetained = sql`
    select name, punycode, status from ${retainedDomains}
    where ${isWithin} and status in (select value from json_each(${JSON.stringify(entries)}))`;
  const isShown = (status: ListedStatus) => shows(list, status);
  const sources = [
    ...(retainedStatuses.some(isShown) ? [ofRetained] : []),
    ...(isShown('disputed') ? [ofDisputes] : []),
  ];
  return db.values<EntryRow>(sql`
    ${sql.join(sources, sql` union all `)} order by 1, 3 limit ${limit * entries.length}`);
}

async function* pages(
  read: (last: EntryRow | undefined) => Promise<EntryRow[]>,
): AsyncGenerator<EntryRow[]> {
  let last: EntryRow | undefined;
  for (;;) {
    const after = last;
    const page = await retried(() => read(after));
    yield page;
    if (page.length < pageRows) return;
    last = page.at(-1);
  }
}
