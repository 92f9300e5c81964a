import { sql } from 'drizzle-orm';
import { disputes, listBuilds, listSources } from '../../drizzle/schema.ts';
import type { Database } from '../database/open.ts';
import { dayOf } from '../day.ts';
import { type ListedStatus, type ListName, listNames, publicLists } from './lists.ts';

/** What the lists are made from, at one moment. */
export interface Source {
  /** The UTC day that disputes are judged by, `YYYY-MM-DD`. */
  day: string;
  /** Differs from an earlier one exactly if a table or the calendar changed what the list is made from. */
  versions: Record<ListName, string>;
  /** The content that a list was found to have, though nothing was written, at a version of its source. */
  builds: Partial<Record<ListName, { sourceVersion: string; etag: string }>>;
}

/**
 * Looks at the sources of all lists in one round trip of at most eight rows: the counters that triggers keep,
 * the latest days on which a dispute began or had ended, and the recorded builds.
 */
export async function readSource(db: Database, now: Date): Promise<Source> {
  const day = dayOf(now);
  const row = await db.get<Row>(sql`
    select auctions, reserved, blocked, disputed,
      (select max(first_day) from ${disputes} where first_day <= ${day}) as began,
      (select max(last_day) from ${disputes} where last_day < ${day}) as ended,
      (select json_group_object(list, json_object('sourceVersion', source_version, 'etag', etag))
        from ${listBuilds}) as builds
    from ${listSources}`);
  if (!row) throw new Error('list_sources has lost its row');
  const versions = listNames.map((list) => [list, versionOf(list, row)] as const);
  return {
    day,
    versions: Object.fromEntries(versions) as Record<ListName, string>,
    builds: JSON.parse(row.builds),
  };
}

function versionOf(list: ListName, row: Row): string {
  const { entries } = publicLists[list];
  if (entries === 'auctions') return `${row.auctions}`;
  const counters: Record<ListedStatus, string> = {
    reserved: `${row.reserved}`,
    blocked: `${row.blocked}`,
    disputed: [row.disputed, row.began ?? '', row.ended ?? ''].join('/'),
  };
  return entries.map((status) => counters[status]).join('/');
}

interface Row {
  auctions: number;
  reserved: number;
  blocked: number;
  disputed: number;
  began: string | null;
  ended: string | null;
  builds: string;
}
