import { and, asc, eq, lt, notInArray, sql } from 'drizzle-orm';
import {
  auctionChanges,
  listPublications,
  replacedKeys,
  retainedChanges,
} from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import { retry } from '../../base/database/retry.ts';
import { blockPrefix, changesKey, listKeys, readPublished } from '../kv.ts';
import { type ListName, listNames } from '../lists.ts';
import { isKnownPublication, isPublication } from './record.ts';
import { journalOf, readSource, type Source } from './source.ts';

/** Blocks of an older head are kept for a week for the archive, and a day more for locations that cache the head. */
const keptMilliseconds = 8 * 24 * 60 * 60 * 1000;
/** An invocation may use 1,000 operations of KV in all. */
const maximumDeletions = 400;
const maximumJournalRows = 100_000;

/**
 * Deletes the journals' rows that all lists have followed and, after eight days, the keys of replaced or killed
 * publications. Keeps what KV's head may still name. Limits the work of one run.
 */
export async function deleteReplacedKeys(db: Database, kv: KVNamespace, now: Date): Promise<void> {
  const source = await retry(() => readSource(db, now));
  await deleteKeysOfLists(db, kv, now, source);
  await pruneJournals(db, source);
}

async function deleteKeysOfLists(
  db: Database,
  kv: KVNamespace,
  now: Date,
  { records }: Source,
): Promise<void> {
  const oldest = new Date(now.getTime() - keptMilliseconds).toISOString();
  let budget = maximumDeletions;
  let published: Awaited<ReturnType<typeof readPublished>> | undefined;
  const skipped: string[] = [];
  while (budget > 0) {
    const [replaced] = await retry(() =>
      db
        .select()
        .from(replacedKeys)
        .where(and(lt(replacedKeys.since, oldest), notInArray(replacedKeys.list, skipped)))
        .orderBy(asc(replacedKeys.since))
        .limit(1),
    );
    if (!replaced) return;
    const { publication, keys } = replaced;
    const list = replaced.list as ListName;
    published ??= await readPublished(kv);
    const head = published.get(list);
    const isLast = head?.publication === records[list]?.publication;
    // KV may show a head that was replaced a moment ago. A head later than the replacement names none of these keys.
    const isLater = head !== undefined && head.publishedAt > replaced.since;
    if (!isLast && !(isLater && (await isKnownPublication(db, head.publication)))) {
      skipped.push(list);
      continue;
    }
    const all: string[] = keys ? JSON.parse(keys) : await keysOf(kv, list, publication);
    const deleted = all.slice(0, budget);
    for (const key of deleted) await kv.delete(key);
    budget -= Math.max(1, deleted.length);
    const rest = all.slice(deleted.length);
    const isSameRow = and(
      eq(replacedKeys.publication, publication),
      eq(replacedKeys.since, replaced.since),
    );
    await retry(async () =>
      rest.length > 0
        ? db
            .update(replacedKeys)
            .set({ keys: JSON.stringify(rest) })
            .where(isSameRow)
        : db.delete(replacedKeys).where(isSameRow),
    );
  }
}

/** For a killed publication, which recorded no keys. */
async function keysOf(kv: KVNamespace, list: ListName, publication: string): Promise<string[]> {
  const keys = await listKeys(kv, blockPrefix(list, publication));
  return [changesKey(list, publication), ...keys.map(({ name }) => name)];
}

async function pruneJournals(db: Database, source: Source): Promise<void> {
  for (const list of listNames) {
    const { journalPosition } = source.places[list];
    const record = source.records[list];
    const isUpToDate = record?.sourceVersion === source.versions[list];
    if (!isUpToDate || record.journalPosition === journalPosition) continue;
    // No later row of the journal concerns this list, or the list's version would have changed.
    await retry(() =>
      db
        .update(listPublications)
        .set({ journalPosition })
        .where(
          and(
            isPublication(list, record.publication),
            eq(listPublications.sourceVersion, record.sourceVersion),
          ),
        ),
    );
    record.journalPosition = journalPosition;
  }
  for (const journal of [auctionChanges, retainedChanges]) {
    const lists = listNames.filter((list) => journalOf(list) === journal);
    const positions = lists.map((list) => source.records[list]?.journalPosition ?? 0);
    // Keeps the last row, from which SQLite derives the next id.
    const isFollowed = lt(journal.id, Math.min(...positions));
    const isAmongFirst = sql`${journal.id} < (select min(id) from ${journal}) + ${maximumJournalRows}`;
    await retry(() => db.delete(journal).where(and(isFollowed, isAmongFirst)));
  }
}
