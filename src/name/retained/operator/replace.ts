import { isNotNull } from 'drizzle-orm';
import { retainedDomains } from '../../../../drizzle/schema.ts';
import { everyRow } from '../../../base/database/every-row.ts';
import { jsonArrays, rowsIn } from '../../../base/database/json-rows.ts';
import type { Database } from '../../../base/database/open.ts';
import { nothingSince } from '../../../change/history/search.ts';
import { changeEach, type SeenOperation, writeMany } from '../../../change/write-many.ts';
import { mapByKey, namesIn, removals, retainedKey } from '../change-names.ts';
import { isAmong, type RetainedDomain, type RetainedStatus } from '../list.ts';
import { hasEnded } from '../save.ts';
import { additions, updates } from './change-names.ts';
import { listRetainedDomains } from './list.ts';

/**
 * Makes the names with these statuses equal to the new ones, and returns how many it added, updated and removed. A name
 * without a new password or last day keeps its own. Applies the differences in one batch, which D1 stops after 30
 * seconds, enough for a few hundred thousand: add a larger first load instead. Throws `changed_meanwhile`, `busy`.
 */
export function replaceRetainedDomains(
  operation: SeenOperation,
  statuses: readonly RetainedStatus[],
  names: readonly RetainedDomain[],
): Promise<Record<'added' | 'updated' | 'removed', number>> {
  const { db, origin } = operation;
  const { at } = origin.request;
  const wanted = mapByKey(names);
  return writeMany(operation, 'retained_domain', async (lastEntryId) => {
    const every = everyRow<RetainedDomain>((page) => listRetainedDomains(db, { page }));
    const all = await Array.fromAsync(every);
    const current = mapByKey(all.filter(({ status }) => statuses.includes(status)));
    const isNew = (row: RetainedDomain) => !current.has(retainedKey(row));
    const isChanged = (row: RetainedDomain) => {
      const old = current.get(retainedKey(row));
      return old !== undefined && differs(row, old, at);
    };
    const added = [...wanted.values()].filter(isNew);
    const updated = [...wanted.values()].filter(isChanged);
    const removed = [...current.values()].filter((row) => !wanted.has(retainedKey(row)));
    const changes = {
      removed: jsonArrays(removed).map((rows) => removals(db, isAmong(rowsIn(rows)))),
      updated: jsonArrays(updated).map((rows) => updates(db, namesIn(rowsIn(rows)), at)),
      added: jsonArrays(added).map((rows) => additions(db, namesIn(rowsIn(rows)), at)),
    };
    return {
      outcome: { added: added.length, updated: updated.length, removed: removed.length },
      write: () => changeEach(operation, changes, nothingSince(lastEntryId, 'retained_domain')),
    };
  });
}

/** As `updates` judges it. */
function differs({ password, lastDay }: RetainedDomain, old: RetainedDomain, now: Date): boolean {
  return (
    (password ?? old.password) !== old.password ||
    (lastDay ?? (hasEnded(old, now) ? null : old.lastDay)) !== old.lastDay
  );
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
