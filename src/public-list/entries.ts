import { sql } from 'drizzle-orm';
import { auctions, disputes, retainedDomains } from '../../drizzle/schema.ts';
import type { Database } from '../database/open.ts';
import { retried } from '../database/retry.ts';
import type { EntryRow } from './entry.ts';

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
