import { type SQL, sql } from 'drizzle-orm';
import {
  auctionChanges,
  disputes,
  listPublications,
  listSources,
  retainedChanges,
} from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import { prepared } from '../../base/database/prepared-query.ts';
import { dayOf } from '../../base/time/day.ts';
import { entriesQuery } from '../entries.ts';
import { entryOf, type ListEntry } from '../format/entry.ts';
import type { Published } from '../format/head.ts';
import {
  isOfAuctions,
  type ListName,
  type NameStatus,
  perList,
  publicLists,
  shows,
} from '../lists.ts';
import type { Place, PublicationRecord } from './record.ts';
import type { ChangedName } from './update.ts';

export interface Source {
  day: string;
  /** Differs from all earlier ones if a table or the calendar has changed the list's names. */
  versions: Record<ListName, string>;
  places: Record<ListName, Place>;
  records: Partial<Record<ListName, PublicationRecord>>;
}

interface Row extends Omit<typeof listSources.$inferSelect, 'id'> {
  began: string | null;
  ended: string | null;
  auction_position: number | null;
  retained_position: number | null;
  records: string;
}

function sourceQuery(day: string): SQL {
  return sql`
    select auctions, reserved, blocked, disputed,
      (select max(first_day) from ${disputes} where first_day <= ${day}) as began,
      (select max(last_day) from ${disputes} where last_day < ${day}) as ended,
      (select max(id) from ${auctionChanges}) as auction_position,
      (select max(id) from ${retainedChanges}) as retained_position,
      (select json_group_object(list, json_object('publication', publication, 'etag', etag,
          'sourceVersion', source_version, 'journalPosition', journal_position, 'day', day,
          'count', metadata ->> 'count', 'publishedAt', metadata ->> 'publishedAt'))
        from ${listPublications}) as records
    from ${listSources}`;
}

/** Costs one round trip and at most ten rows. */
export async function readSource(db: Database, now: Date): Promise<Source> {
  const day = dayOf(now);
  return sourceOf(await db.get<Row>(sourceQuery(day)), day);
}

function sourceOf(row: Row | undefined, day: string): Source {
  if (!row) throw new Error('list_sources has lost its row');
  return {
    day,
    versions: perList((list) => versionOf(list, row)),
    places: perList((list) => ({
      journalPosition: (isOfAuctions(list) ? row.auction_position : row.retained_position) ?? 0,
      day,
    })),
    records: JSON.parse(row.records),
  };
}

function versionOf(list: ListName, row: Row): string {
  const versions: Record<NameStatus, string> = {
    auction: `${row.auctions}`,
    reserved: `${row.reserved}`,
    blocked: `${row.blocked}`,
    disputed: [row.disputed, row.began ?? '', row.ended ?? ''].join('/'),
  };
  return publicLists[list].entries.map((status) => versions[status]).join('/');
}

/** A list's source at one moment, as the changes since an earlier one. */
export interface Snapshot extends Place {
  sourceVersion: string;
  changed: ChangedName[];
}

/** If more names have changed, the whole list is read. */
const maximumChangedNames = 20_000;

/**
 * Reads the changes since a place in one transaction. Undefined if too much has changed, the journal was pruned, or the
 * database was restored.
 */
export async function readSnapshot(
  db: Database,
  list: ListName,
  since: Place,
  now: Date,
): Promise<Snapshot | undefined> {
  const day = dayOf(now);
  const changed = changedNames(list, since, day);
  const ofChanged = entriesQuery(publicLists[list].entries, sql`name in (${changed})`, day);
  // A query of `db.all` with parameters is no item of a batch (Drizzle 0.45).
  const query = <Row>(sql: SQL) => prepared<Row>(() => sql)(db, {});
  const [[row], [start], names, entries]: [
    Row[],
    { id: number }[],
    { name: string }[],
    { name: string; punycode: string; status: NameStatus }[],
  ] = await db.batch([
    query(sourceQuery(day)),
    query(sql`select coalesce(min(id), 1) as id from ${journalOf(list)}`),
    query(changed),
    query(ofChanged),
  ]);
  if (names.length > maximumChangedNames) return undefined;
  const { versions, places } = sourceOf(row, day);
  const isJournalComplete =
    start!.id <= since.journalPosition + 1 && since.journalPosition <= places[list].journalPosition;
  if (!isJournalComplete) return undefined;
  const byName = new Map(names.map(({ name }) => [name, [] as ListEntry[]]));
  for (const { name, punycode, status } of entries) {
    byName.get(name)?.push(entryOf([name, punycode, status]));
  }
  return {
    ...places[list],
    sourceVersion: versions[list],
    changed: [...byName].map(([name, entries]) => ({ name, entries })),
  };
}

export function journalOf(list: ListName) {
  return isOfAuctions(list) ? auctionChanges : retainedChanges;
}

function changedNames(list: ListName, { journalPosition, day: earlier }: Place, now: string): SQL {
  const journalled = sql`select name from ${journalOf(list)} where id > ${journalPosition}`;
  // Sorted, since clocks can go back. The names whose disputes begin or end between both days have changed.
  const [first, last] = [earlier, now].sort();
  const calendar = shows(list, 'disputed')
    ? sql`
      union select name from ${disputes} where first_day > ${first} and first_day <= ${last}
      union select name from ${disputes} where last_day >= ${first} and last_day < ${last}`
    : sql``;
  return sql`select distinct name from (${journalled} ${calendar})
    order by name limit ${maximumChangedNames + 1}`;
}

/**
 * A list is up to date only if KV and the record in the database agree: KV's listing may be a minute old, and a slow
 * publisher may have put an older head back.
 */
export function isBehind(
  { list, inKv }: { list: ListName; inKv: Pick<Published, 'publication'> | null | undefined },
  { records, versions }: Source,
): boolean {
  const record = records[list];
  return record?.sourceVersion !== versions[list] || record.publication !== inKv?.publication;
}

/**
 * Returns the time of the first change that the list lacks, or else of its last publication. Undefined for a list that
 * was never published and lacks nothing.
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
  const midnights = sql`select first_day as day, created_at from ${disputes}
    where first_day > ${record.day} and first_day <= ${day}
    union all
    select date(last_day, '+1 day'), created_at from ${disputes}
      where last_day >= ${record.day} and last_day < ${day}`;
  // A dispute may be opened after its first day has begun.
  return sql`select min(at) as since from (
    select * from (${journalled})
    union all select max(day || 'T00:00:00.000Z', created_at) from (${midnights}))`;
}
