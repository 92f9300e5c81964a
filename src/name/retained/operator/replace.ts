import { and, eq, inArray, lt, sql } from 'drizzle-orm';
import { retainedDomains, retainedReplacements } from '../../../../drizzle/schema.ts';
import { insertRows } from '../../../base/database/insert-rows.ts';
import { jsonArrays, rowsIn } from '../../../base/database/json-rows.ts';
import type { Database } from '../../../base/database/open.ts';
import { retried } from '../../../base/database/retry.ts';
import { RegistryError } from '../../../base/error.ts';
import { nothingSince } from '../../../change/history/search.ts';
import { type ChangeOfSeenOptions, changeEach, type Origin } from '../../../change/write.ts';
import {
  additions,
  addRetainedDomains,
  countRetainedDomains,
  distinct,
  namedColumns,
  namesIn,
  removals,
  updates,
} from '../change-names.ts';
import type { RetainedDomain, RetainedStatus } from '../list.ts';

const abandonedAfterMilliseconds = 24 * 60 * 60 * 1000;

type Chunks = Iterable<readonly RetainedDomain[]> | AsyncIterable<readonly RetainedDomain[]>;

/**
 * Makes the names with these statuses equal to the given ones, and returns how many it added, updated and removed. A name
 * keeps the password and the last day that it has if none is given.
 *
 * A list can be too large for one batch, but it has to change in one step. So the names are first collected, chunk by
 * chunk, in a table that nothing else reads; the last batch, one transaction, then applies the differences between the
 * two tables. If the process dies before that, the lists are unchanged. A replacement a day later deletes leftover
 * rows; running again starts over. D1 stops a batch after 30 seconds, so a few hundred thousand names can differ: add,
 * rather than replace, a first load that is larger. Throws `changed_meanwhile`.
 */
export async function replaceRetainedDomains(
  db: Database,
  origin: Origin,
  statuses: readonly [RetainedStatus, ...RetainedStatus[]],
  chunks: Chunks,
  { isDryRun = false, seen }: ChangeOfSeenOptions = {},
): Promise<Record<'added' | 'updated' | 'removed', number>> {
  if (isDryRun) return countDifferences(db, origin, statuses, chunks);
  const replacement = `${origin.request.at.toISOString()} ${crypto.randomUUID()}`;
  const oldest = new Date(origin.request.at.getTime() - abandonedAfterMilliseconds).toISOString();
  await db.delete(retainedReplacements).where(lt(retainedReplacements.replacement, oldest));
  let gathered = 0;
  for await (const chunk of chunks) {
    checkStatuses(statuses, chunk);
    for (const rows of jsonArrays(chunk)) {
      const names = sql`from (${namesIn(rowsIn(rows))}) where true`;
      const { meta } = await insertRows(
        db,
        retainedReplacements,
        { replacement, ...namedColumns },
        names,
      ).onConflictDoNothing();
      gathered += meta.changes;
    }
  }
  return takeOver(db, origin, statuses, { replacement, gathered, seen });
}

async function countDifferences(
  db: Database,
  origin: Origin,
  statuses: readonly RetainedStatus[],
  chunks: Chunks,
): Promise<Record<'added' | 'updated' | 'removed', number>> {
  const all: RetainedDomain[] = [];
  for await (const chunk of chunks) {
    checkStatuses(statuses, chunk);
    all.push(...chunk);
  }
  const { added, updated } = await addRetainedDomains(db, origin, all, { isDryRun: true });
  const kept = distinct(all).length - added;
  return { added, updated, removed: (await countRetainedDomains(db, statuses)) - kept };
}

function checkStatuses(
  statuses: readonly RetainedStatus[],
  chunk: readonly RetainedDomain[],
): void {
  const stray = chunk.find(({ status }) => !statuses.includes(status));
  if (stray) {
    const message = `${JSON.stringify(stray.name)} is ${stray.status}, but only ${statuses.join(' and ')} names are replaced`;
    throw new RegistryError('invalid', message, 'status');
  }
}

async function takeOver(
  db: Database,
  origin: Origin,
  statuses: readonly RetainedStatus[],
  {
    replacement,
    gathered,
    seen,
  }: { replacement: string; gathered: number; seen: number | undefined },
): Promise<Record<'added' | 'updated' | 'removed', number>> {
  const isGathered = eq(retainedReplacements.replacement, replacement);
  const names = sql`select * from retained_replacements where replacement = ${replacement}`;
  // If this replacement pauses for a day, another one deletes its collected names, and the rest is not the list.
  const isComplete = sql`(select count(*) from (${names})) = ${gathered}`;
  const isSuperfluous = and(
    inArray(retainedDomains.status, statuses),
    sql`not exists (select 1 from (${names}) as wanted
      where wanted.name = ${retainedDomains.name} and wanted.status = ${retainedDomains.status})`,
    isComplete,
  );
  const replaced = await changeEach(
    db,
    origin,
    {
      removed: [removals(db, isSuperfluous!)],
      updated: [updates(db, sql`${names} and ${isComplete}`, origin.request.at)],
      added: [additions(db, sql`${names} and ${isComplete}`, origin.request.at)],
    },
    seen === undefined ? undefined : nothingSince(seen, 'retained_domain'),
  );
  const left = await retried(() => db.$count(retainedReplacements, isGathered));
  if (left < gathered) throw new Error('the collected names are gone; replace them again');
  await db
    .delete(retainedReplacements)
    .where(isGathered)
    .catch(() => {});
  return replaced;
}
