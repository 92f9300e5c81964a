import { and, asc, eq, gt, gte, lte, sql } from 'drizzle-orm';
import { disputes } from '../../drizzle/schema.ts';
import type { Database } from '../database/open.ts';
import { dayBefore, isDay } from '../day.ts';
import type { DomainName } from '../domain/name.ts';
import { RegistryError } from '../error.ts';
import { difference, type Origin, recordIfChanged } from '../history.ts';

export type Dispute = typeof disputes.$inferSelect;

/** The disputes in the order of their ids, over or not, from the one behind `after`. */
export async function listDisputes(
  db: Database,
  { page }: { page: { after?: number | undefined; limit: number } },
): Promise<Dispute[]> {
  return db
    .select()
    .from(disputes)
    .where(gt(disputes.id, page.after ?? 0))
    .orderBy(asc(disputes.id))
    .limit(page.limit);
}

/**
 * Opens a dispute of the name from its first day to its last, both included; a dry run checks and writes nothing.
 * Throws `invalid` for days that the calendar does not have or in the wrong order, `taken` where another dispute of the
 * name has a day in common.
 */
export async function openDispute(
  db: Database,
  origin: Origin,
  { name, punycode }: DomainName,
  firstDay: string,
  lastDay: string,
  isDryRun = false,
): Promise<void> {
  checkDays(firstDay, lastDay);
  const overlaps = and(
    eq(disputes.name, name),
    lte(disputes.firstDay, lastDay),
    gte(disputes.lastDay, firstDay),
  );
  const overlapping = db
    .select()
    .from(disputes)
    .where(overlaps)
    .orderBy(asc(disputes.firstDay))
    .limit(1);
  const insert = db.insert(disputes).select(sql`
    select null, ${name}, ${punycode}, ${firstDay}, ${lastDay}, ${origin.at.toISOString()}
    where not exists (select 1 from ${disputes} where ${overlaps})`);
  const recorded = difference({}, { firstDay, lastDay });
  const [[other]] = await db.batch([
    overlapping,
    ...(isDryRun
      ? []
      : [insert, recordIfChanged(db, origin, subjectOf({ name }), 'create', recorded)]),
  ]);
  if (!other) return;
  const message = `${JSON.stringify(name)} is disputed from ${other.firstDay} to ${other.lastDay} already`;
  throw new RegistryError('taken', message, 'name');
}

function checkDays(firstDay: string, lastDay: string): void {
  const days = { from: firstDay, until: lastDay };
  for (const [field, day] of Object.entries(days)) {
    if (isDay(day)) continue;
    const message = `${JSON.stringify(day)} is no day of the calendar; write it as 2026-01-31`;
    throw new RegistryError('invalid', message, field);
  }
  if (lastDay < firstDay) {
    const message = `the last day, ${lastDay}, comes before the first, ${firstDay}`;
    throw new RegistryError('invalid', message, 'until');
  }
}

/**
 * Closes the name's dispute, so that it is not disputed on `today`: the one in force ends as of yesterday, and one that
 * begins today or, where none is in force, the next to begin is deleted. A dry run writes nothing.
 * Throws `not_found`, `changed_meanwhile`.
 */
export async function closeDispute(
  db: Database,
  origin: Origin,
  { name }: Pick<DomainName, 'name'>,
  today: string,
  isDryRun = false,
): Promise<'ended' | 'deleted'> {
  const [dispute] = await db
    .select()
    .from(disputes)
    .where(and(eq(disputes.name, name), gte(disputes.lastDay, today)))
    .orderBy(asc(disputes.firstDay))
    .limit(1);
  if (!dispute) {
    throw new RegistryError('not_found', `${JSON.stringify(name)} is not disputed`, 'name');
  }
  const outcome = dispute.firstDay < today ? 'ended' : 'deleted';
  if (isDryRun) return outcome;
  const isClosed =
    outcome === 'ended'
      ? await endDispute(db, origin, dispute, dayBefore(today))
      : await deleteDispute(db, origin, dispute);
  if (isClosed) return outcome;
  // Not tried again: the name's next dispute might be taken for the one that is meant.
  throw new RegistryError(
    'changed_meanwhile',
    `somebody else changed the dispute of ${JSON.stringify(name)} just now; try again`,
  );
}

async function endDispute(db: Database, origin: Origin, dispute: Dispute, lastDay: string) {
  const [, recorded] = await db.batch([
    db.update(disputes).set({ lastDay }).where(isUnchanged(dispute)),
    recordIfChanged(db, origin, subjectOf(dispute), 'update', difference(dispute, { lastDay })),
  ]);
  return recorded.meta.changes > 0;
}

async function deleteDispute(db: Database, origin: Origin, dispute: Dispute) {
  const { firstDay, lastDay } = dispute;
  const [, recorded] = await db.batch([
    db.delete(disputes).where(isUnchanged(dispute)),
    recordIfChanged(
      db,
      origin,
      subjectOf(dispute),
      'delete',
      difference({ firstDay, lastDay }, { firstDay: null, lastDay: null }),
    ),
  ]);
  return recorded.meta.changes > 0;
}

function isUnchanged({ id, name, lastDay }: Dispute) {
  // An id can come again after a deletion: the name says that it is still the same dispute's.
  return and(eq(disputes.id, id), eq(disputes.name, name), eq(disputes.lastDay, lastDay));
}

function subjectOf({ name }: Pick<Dispute, 'name'>) {
  return { type: 'dispute', key: name } as const;
}
