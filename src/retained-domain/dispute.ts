import { and, asc, eq, gt, gte, lte, sql } from 'drizzle-orm';
import { disputes } from '../../drizzle/schema.ts';
import type { Database } from '../database/open.ts';
import { dayOf, daysBefore, isDay } from '../day.ts';
import type { DomainName } from '../domain/name.ts';
import { type Problem, RegistryError, throwProblems } from '../error.ts';
import { difference, recordIfChanged } from '../history/changes.ts';
import type { ChangeOptions, Origin } from '../write.ts';

export type Dispute = typeof disputes.$inferSelect;

/** The disputes, past ones included, in the order of their ids, starting after `after`. */
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

/** A dispute that is about to be opened: a name and its first and last days, both included. */
export type NewDispute = DomainName & Pick<Dispute, 'firstDay' | 'lastDay'>;

/**
 * Opens a dispute of the name. Throws `invalid` for days that are not in the calendar or in the wrong order, and
 * `taken` if another dispute of the name shares a day with it.
 */
export async function openDispute(
  db: Database,
  origin: Origin,
  { name, punycode, firstDay, lastDay }: NewDispute,
  { isDryRun = false }: ChangeOptions = {},
): Promise<void> {
  checkDays({ firstDay, lastDay });
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
    select null, ${name}, ${punycode}, ${firstDay}, ${lastDay}, ${origin.request.at.toISOString()}
    where not exists (select 1 from ${disputes} where ${overlaps})`);
  const recorded = difference({}, { firstDay, lastDay });
  const [[other]] = await db.batch([
    overlapping,
    ...(isDryRun
      ? []
      : [insert, recordIfChanged(db, origin, subjectOf({ name }), 'create', recorded)]),
  ]);
  if (other) throwProblems([overlapProblem(other)]);
}

/** The name already has this dispute, which shares days with another. */
export function overlapProblem({
  name,
  firstDay,
  lastDay,
}: Pick<Dispute, 'name' | 'firstDay' | 'lastDay'>): Problem {
  const message = `${JSON.stringify(name)} is already disputed from ${firstDay} to ${lastDay}`;
  return { reason: 'taken', message, field: 'name' };
}

/** Throws `invalid` for days that are not in the calendar or in the wrong order. */
export function checkDays({ firstDay, lastDay }: Pick<Dispute, 'firstDay' | 'lastDay'>): void {
  const days = { from: firstDay, until: lastDay };
  for (const [field, day] of Object.entries(days)) {
    if (isDay(day)) continue;
    const message = `${JSON.stringify(day)} is not a day in the calendar; write it like 2026-01-31`;
    throw new RegistryError('invalid', message, field);
  }
  if (lastDay < firstDay) {
    const message = `the last day, ${lastDay}, comes before the first, ${firstDay}`;
    throw new RegistryError('invalid', message, 'until');
  }
}

/**
 * Closes the name's dispute, so that the name is not disputed today (in UTC): a dispute in force ends yesterday; one
 * that begins today, or the next one if none is in force, is deleted. Throws `not_found`, `changed_meanwhile`.
 */
export async function closeDispute(
  db: Database,
  origin: Origin,
  { name }: Pick<DomainName, 'name'>,
  { isDryRun = false }: ChangeOptions = {},
): Promise<'ended' | 'deleted'> {
  const today = dayOf(origin.request.at);
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
      ? await endDispute(db, origin, dispute, daysBefore(today, 1))
      : await deleteDispute(db, origin, dispute);
  if (isClosed) return outcome;
  // Not retried: the name's next dispute might be mistaken for the one that was meant.
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
  // An id can be reused after a deletion; the name shows that it is still the same dispute.
  return and(eq(disputes.id, id), eq(disputes.name, name), eq(disputes.lastDay, lastDay));
}

function subjectOf({ name }: Pick<Dispute, 'name'>) {
  return { type: 'dispute', key: name } as const;
}
