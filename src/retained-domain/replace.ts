import { and, count, eq, inArray, lt, sql } from 'drizzle-orm';
import { retainedDomains, retainedReplacements } from '../../drizzle/schema.ts';
import { jsonArrays } from '../database/json-rows.ts';
import type { Database } from '../database/open.ts';
import { RegistryError } from '../error.ts';
import type { Origin } from '../history.ts';
import { deleteWhere, distinct, given, insertMissing } from './change.ts';
import { findRetainedDomains, type RetainedDomain, type RetainedStatus } from './list.ts';

/** Names in the portions in which they were read. */
type Chunks = Iterable<readonly RetainedDomain[]> | AsyncIterable<readonly RetainedDomain[]>;

/** How many names a replacement added and removed. */
export interface Replaced {
  added: number;
  removed: number;
}

/**
 * Makes the names of these statuses equal to the ones given, and returns how many that added and removed.
 *
 * A list can be too large for one batch to carry, but it has to change in one step. So the names gather in a table that
 * nobody reads, chunk by chunk, and the last batch, one transaction, changes what differs by statements over the two
 * tables. Whoever is killed on the way leaves the lists as they were, and names behind that the replacements of the
 * next days clear away; to run again is to begin anew. Since D1 ends a batch after 30 seconds, some hundred thousand
 * names can differ: a first load that is larger is added, not replaced. A dry run only reads, and counts.
 */
export async function replaceRetainedDomains(
  db: Database,
  origin: Origin,
  statuses: readonly [RetainedStatus, ...RetainedStatus[]],
  chunks: Chunks,
  isDryRun = false,
): Promise<Replaced> {
  if (isDryRun) return countDifferences(db, statuses, chunks);
  const replacement = `${origin.at.toISOString()} ${crypto.randomUUID()}`;
  await clearAbandoned(db, origin.at);
  for await (const chunk of chunks) {
    checkStatuses(statuses, chunk);
    for (const rows of jsonArrays(chunk)) await gather(db, replacement, rows);
  }
  return takeOver(db, origin, statuses, replacement);
}

async function countDifferences(
  db: Database,
  statuses: readonly RetainedStatus[],
  chunks: Chunks,
): Promise<Replaced> {
  const all: RetainedDomain[] = [];
  for await (const chunk of chunks) {
    checkStatuses(statuses, chunk);
    all.push(...chunk);
  }
  const wanted = distinct(all);
  const kept = await findRetainedDomains(db, wanted);
  const [present] = await db
    .select({ count: count() })
    .from(retainedDomains)
    .where(inArray(retainedDomains.status, statuses));
  return { added: wanted.length - kept.length, removed: present!.count - kept.length };
}

function checkStatuses(
  statuses: readonly RetainedStatus[],
  chunk: readonly RetainedDomain[],
): void {
  const stray = chunk.find(({ status }) => !statuses.includes(status));
  if (stray) {
    const message = `${JSON.stringify(stray.name)} is ${stray.status}, and only ${statuses.join(' and ')} names are replaced`;
    throw new RegistryError('invalid', message, 'status');
  }
}

const abandonedAfterMilliseconds = 24 * 60 * 60 * 1000;

async function clearAbandoned(db: Database, now: Date): Promise<void> {
  const oldest = new Date(now.getTime() - abandonedAfterMilliseconds).toISOString();
  await db.delete(retainedReplacements).where(lt(retainedReplacements.replacement, oldest));
}

async function gather(db: Database, replacement: string, rows: string): Promise<void> {
  await db
    .insert(retainedReplacements)
    .select(sql`select ${replacement}, name, punycode, status from (${given(rows)}) where true`)
    .onConflictDoNothing();
}

async function takeOver(
  db: Database,
  origin: Origin,
  statuses: readonly RetainedStatus[],
  replacement: string,
): Promise<Replaced> {
  const isGathered = eq(retainedReplacements.replacement, replacement);
  const [gathered] = await db
    .select({ count: count() })
    .from(retainedReplacements)
    .where(isGathered);
  const names = sql`select * from retained_replacements where replacement = ${replacement}`;
  // A batch that was done but reported as failed, and is sent again, finds nothing gathered: it must not take that for
  // an empty list.
  const isComplete = sql`(select count(*) from (${names})) = ${gathered!.count}`;
  const isSuperfluous = and(
    inArray(retainedDomains.status, statuses),
    sql`not exists (select 1 from (${names}) as wanted
      where wanted.name = ${retainedDomains.name} and wanted.status = ${retainedDomains.status})`,
    isComplete,
  );
  const [complete, removed, , added] = await db.batch([
    db.select({ isComplete: sql<number>`${isComplete}` }).from(sql`(select 1)`),
    ...deleteWhere(db, origin, isSuperfluous!),
    ...insertMissing(db, origin, sql`${names} and ${isComplete}`),
    db.delete(retainedReplacements).where(isGathered),
  ]);
  if (!complete[0]?.isComplete) throw new Error('the gathered names are gone: replace them again');
  return { added: added.meta.changes, removed: removed.meta.changes };
}
