import { sql } from 'drizzle-orm';
import { auctions, disputes, retainedDomains, retainedStatuses } from '../../drizzle/schema.ts';
import type { Database } from '../database/open.ts';
import { retried } from '../database/retry.ts';
import type { EntryRow } from './format/entry.ts';
import { type ListedStatus, type ListName, publicLists, shows } from './lists.ts';

/** Rows in a page: enough for few round trips, and few enough to need little memory. */
const pageRows = 5_000;

/** The names in auction, in pages, by name. Reads each row once, from the index of auctions in progress. */
export function auctionPages(db: Database): AsyncGenerator<EntryRow[]> {
  return pages((last) => {
    const [name] = last ?? [''];
    return db.values<EntryRow>(sql`
      select name, punycode, 'auction' from ${auctions}
      where status = 'started' and name > ${name} order by name limit ${pageRows}`);
  });
}

/**
 * The names that are reserved, blocked or, on a given day, in dispute, in pages, by name, then status. A name with two
 * disputes is listed as disputed once. Both tables are read in the order of their names, so each row is read once.
 */
export function retainedPages(db: Database, day: string): AsyncGenerator<EntryRow[]> {
  return pages((last) => {
    const [name, , status] = last ?? ['', '', ''];
    // The plus stops SQLite from using the indexes on days: it would read all disputes for every page.
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

/** A range of names, in the order of the lists. */
export interface Bounds {
  from: string;
  /** Whether the range begins after `from`, not at it. */
  isAfter: boolean;
  /** Not part of the range. */
  to: string;
}

/**
 * The entries that the first `limit` names in a range have in a list on a day, and possibly some entries of the names
 * after them. Reads both tables from the first name of the range on, so the number of rows read depends on `limit` and
 * on how many names in between are only on other lists.
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
