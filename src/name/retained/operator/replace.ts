import { and, eq, inArray, isNotNull, lt, sql } from 'drizzle-orm';
import { retainedDomains, retainedReplacements } from '../../../../drizzle/schema.ts';
import { insertRows } from '../../../base/database/insert-rows.ts';
import { jsonArrays, rowsIn } from '../../../base/database/json-rows.ts';
import type { Database } from '../../../base/database/open.ts';
import { retried } from '../../../base/database/retry.ts';
import { nothingSince } from '../../../change/history/search.ts';
import { changeEach, type SeenOperation } from '../../../change/write-many.ts';
import { distinct, namedColumns, namesIn, removals } from '../change-names.ts';
import type { RetainedDomain, RetainedStatus } from '../list.ts';
import { additions, addRetainedDomains, countRetainedDomains, updates } from './change-names.ts';

const abandonedAfterMilliseconds = 24 * 60 * 60 * 1000;

/**
 * Makes the names with these statuses equal to the new ones, and returns how many it added, updated and removed. A name
 * without a new password or last day keeps its own. Collects the names first, and applies the differences in one last
 * batch; a process that dies before that changes nothing. D1 stops a batch after 30 seconds, enough for a few hundred
 * thousand differences: add a larger first load instead. Throws `changed_meanwhile`.
 */
export async function replaceRetainedDomains(
  operation: SeenOperation,
  statuses: readonly [RetainedStatus, ...RetainedStatus[]],
  names: readonly RetainedDomain[],
): Promise<Record<'added' | 'updated' | 'removed', number>> {
  const { db, origin, isDryRun = false, seen } = operation;
  if (isDryRun) {
    const { added, updated } = await addRetainedDomains({ db, origin, isDryRun }, names);
    const kept = distinct(names).length - added;
    return { added, updated, removed: (await countRetainedDomains(db, statuses)) - kept };
  }
  const { at } = origin.request;
  const replacement = `${at.toISOString()} ${crypto.randomUUID()}`;
  const oldest = new Date(at.getTime() - abandonedAfterMilliseconds).toISOString();
  await db.delete(retainedReplacements).where(lt(retainedReplacements.replacement, oldest));
  const records = distinct(names);
  for (const rows of jsonArrays(records)) {
    const source = sql`from (${namesIn(rowsIn(rows))})`;
    await insertRows(db, retainedReplacements, { replacement, ...namedColumns }, source);
  }
  const isCollected = eq(retainedReplacements.replacement, replacement);
  const collected = sql`select * from retained_replacements where replacement = ${replacement}`;
  // If this replacement pauses for a day, another one deletes its names. An incomplete list must not replace anything.
  const isComplete = sql`(select count(*) from (${collected})) = ${records.length}`;
  const replacements = sql`${collected} and ${isComplete}`;
  const isSuperfluous = and(
    inArray(retainedDomains.status, statuses),
    sql`not exists (select 1 from (${collected}) as wanted
      where wanted.name = ${retainedDomains.name} and wanted.status = ${retainedDomains.status})`,
    isComplete,
  );
  const counts = await changeEach(
    operation,
    {
      removed: [removals(db, isSuperfluous!)],
      updated: [updates(db, replacements, at)],
      added: [additions(db, replacements, at)],
    },
    seen === undefined ? undefined : nothingSince(seen, 'retained_domain'),
  );
  const rest = await retried(() => db.$count(retainedReplacements, isCollected));
  if (rest < records.length) throw new Error('the collected names are gone; replace them again');
  await db
    .delete(retainedReplacements)
    .where(isCollected)
    .catch(() => {});
  return counts;
}

/** Returns the digests (SHA-256, hexadecimal) of used passwords, by reserved name. */
export async function readUsedPasswords(db: Database): Promise<Map<string, string[]>> {
  const { name, usedPasswords } = retainedDomains;
  const rows = await db
    .select({ name, usedPasswords })
    .from(retainedDomains)
    .where(isNotNull(usedPasswords));
  return new Map(rows.map(({ name, usedPasswords }) => [name, usedPasswords!.split(' ')]));
}
