import { type SQL, sql } from 'drizzle-orm';
import { auctionChanges, disputes, retainedChanges } from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import type { Published } from '../format/head.ts';
import { readPublished } from '../kv.ts';
import { isOfAuctions, type ListName, listNames, publicLists, shows } from '../lists.ts';
import type { PublicationRecord } from './record.ts';
import { readSource, type Source } from './source.ts';

export async function listStatus(db: Database, kv: KVNamespace, now: Date) {
  const [source, published] = await Promise.all([readSource(db, now), readPublished(kv)]);
  return listNames.map((list) => ({
    list,
    published: published.get(list),
    isBehind: isBehind({ list, inKv: published.get(list) }, source),
  }));
}

/**
 * KV's listing may be a minute old, and a slow publisher may have put back an older head, so a list is up to date only
 * if KV and the record in the database agree.
 */
export function isBehind(
  { list, inKv }: { list: ListName; inKv: Published | null | undefined },
  { records, versions }: Source,
): boolean {
  const record = records[list];
  return record?.sourceVersion !== versions[list] || record.publication !== inKv?.publication;
}

/**
 * The time of the first change that the list lacks or, if none is recorded, of its last publication. Undefined for a
 * list that was never published and lacks nothing.
 */
export async function findBehindSince(
  db: Database,
  list: ListName,
  { records, versions, day }: Source,
): Promise<string | undefined> {
  const record = records[list];
  const isCurrent = record?.sourceVersion === versions[list];
  const [row] = isCurrent
    ? []
    : await db.all<{ since: string | null }>(firstMissing(list, record, day));
  return row?.since ?? record?.publishedAt;
}

function firstMissing(list: ListName, record: PublicationRecord | undefined, day: string): SQL {
  const position = record?.journalPosition ?? 0;
  if (isOfAuctions(list)) {
    return sql`select min(at) as since from ${auctionChanges} where id > ${position}`;
  }
  const statuses = sql`select value from json_each(${JSON.stringify(publicLists[list].entries)})`;
  const journalled = sql`select at from ${retainedChanges} where id > ${position}
    and (status is null or status in (${statuses})) order by id limit 1`;
  if (!record || !shows(list, 'disputed')) return sql`select (${journalled}) as since`;
  const midnights = sql`select first_day from ${disputes} where first_day > ${record.day} and first_day <= ${day}
    union all
    select date(last_day, '+1 day') from ${disputes} where last_day >= ${record.day} and last_day < ${day}`;
  return sql`select min(at) as since from (
    select * from (${journalled})
    union all select first_day || 'T00:00:00.000Z' from (${midnights}))`;
}
