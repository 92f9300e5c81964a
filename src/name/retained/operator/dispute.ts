import { and, asc, eq, gt, gte, isNull, lte, type SQL, sql } from 'drizzle-orm';
import { disputes, untilClosed } from '../../../../drizzle/schema.ts';
import { insertRows, type NewRow, valuesInJson } from '../../../base/database/insert-rows.ts';
import type { Database } from '../../../base/database/open.ts';
import type { RowsAfter } from '../../../base/database/paging.ts';
import { type Problem, RegistryError, throwProblems } from '../../../base/error.ts';
import { dayOf, isDay } from '../../../base/time/day.ts';
import { difference } from '../../../change/history/changes.ts';
import type { Operation } from '../../../change/origin.ts';
import { type Change, changedMeanwhile, changeOf, write } from '../../../change/write.ts';
import type { DomainName } from '../../domain/name.ts';
import { closure, type Dispute, subjectOf } from '../dispute.ts';

/** Past disputes, too, in the order of their ids, starting after `after`. */
export async function listDisputes(
  db: Database,
  { name, page }: { name?: string | undefined; page: RowsAfter<{ id: number }> },
): Promise<Dispute[]> {
  return db
    .select()
    .from(disputes)
    .where(
      and(
        name === undefined ? undefined : eq(disputes.name, name),
        gt(disputes.id, page.after?.id ?? 0),
      ),
    )
    .orderBy(asc(disputes.id))
    .limit(page.limit);
}

export type DisputedDays = Pick<Dispute, 'name' | 'firstDay' | 'lastDay'> &
  Partial<Pick<Dispute, 'closedAt'>>;

/** Days include the first and the last. */
export type NewDispute = DomainName &
  DisputedDays &
  Partial<Pick<Dispute, 'password' | 'comment' | 'initiator'>>;

/**
 * Throws `invalid` for days that are not in the calendar or in the wrong order, and `taken` if another dispute of the
 * name shares a day with it.
 */
export async function openDispute(operation: Operation, dispute: NewDispute): Promise<void> {
  const { db, origin } = operation;
  checkDays(dispute);
  const { name, firstDay, lastDay } = dispute;
  const overlaps = and(
    eq(disputes.name, name),
    isNull(disputes.closedAt),
    lte(disputes.firstDay, lastDay),
    gte(disputes.lastDay, firstDay),
  );
  const { changes, ...row } = newDispute(dispute, origin.request.at);
  const look = () =>
    db.select().from(disputes).where(overlaps).orderBy(asc(disputes.firstDay)).limit(1);
  const judge = (overlapping: Dispute[]): Change<void> => {
    throwProblems(overlapping.map(overlapProblem));
    const change = changeOf(operation, subjectOf({ name }));
    return {
      ...change,
      action: 'create',
      changes,
      onlyIf: sql`not exists (select 1 from ${disputes} where ${overlaps})`,
      statements: [
        insertDisputes(db, sql`select ${JSON.stringify(row)} as row where ${change.isWritten}`),
      ],
      outcome: undefined,
    };
  };
  await write(db, origin.request, { look, judge }, operation);
}

export function newDispute({ name, punycode, ...fields }: NewDispute, createdAt: Date) {
  const row: NewRow<typeof disputes> = {
    password: null,
    comment: null,
    initiator: null,
    closedAt: null,
    name,
    punycode,
    ...fields,
    createdAt: createdAt.toISOString(),
  };
  return { ...row, changes: difference({}, fields) };
}

/** Takes a query that has each dispute as JSON in its column `row`. */
export function insertDisputes(db: Database, rows: SQL) {
  return insertRows(db, disputes, valuesInJson(disputes), sql`from (${rows})`);
}

/**
 * Takes such a query whose rows have `changes` of `closedAt`: closes, or opens again, the earliest dispute of each name
 * that is not over.
 */
export function updateClosures(db: Database, rows: SQL) {
  const was = sql.raw(`row ->> '$.changes.closedAt.from'`);
  const becomes = sql.raw(`row ->> '$.changes.closedAt.to'`);
  const disputeId = sql`(
    select id from ${disputes} as one
    where one.name = row ->> 'name' and one.closed_at is ${was}
      and one.last_day >= substr(ifnull(${was}, ${becomes}), 1, 10)
    order by one.first_day limit 1)`;
  const closedAt = sql`(select ${becomes} from (${rows}) where ${disputes.id} = ${disputeId})`;
  return db
    .update(disputes)
    .set({ closedAt })
    .where(sql`${disputes.id} in (select ${disputeId} from (${rows}))`);
}

/** Deletes those with the name, the days and the `closedAt` of such rows. */
export function deleteDisputes(db: Database, rows: SQL) {
  const { name, firstDay, lastDay, closedAt } = disputes;
  return db
    .delete(disputes)
    .where(sql`(${name}, ${firstDay}, ${lastDay}, ifnull(${closedAt}, '')) in (
    select row ->> 'name', row ->> 'firstDay', row ->> 'lastDay', ifnull(row ->> 'closedAt', '')
      from (${rows}))`);
}

/** For disputes of one name, neither of which was closed. */
export function overlaps(one: DisputedDays, other: DisputedDays): boolean {
  if (one.closedAt || other.closedAt) return false;
  return one.firstDay <= other.lastDay && other.firstDay <= one.lastDay;
}

export function overlapProblem({ name, firstDay, lastDay }: DisputedDays): Problem {
  const end = lastDay === untilClosed ? 'until it is closed' : `to ${lastDay}`;
  const message = `${JSON.stringify(name)} is already disputed from ${firstDay} ${end}`;
  return { reason: 'taken', message, field: 'name' };
}

/** Throws `invalid` for a day that is not in the calendar. */
export function checkDay(day: string, field: string): void {
  if (isDay(day)) return;
  const message = `${JSON.stringify(day)} is not a day in the calendar; write it like 2026-01-31`;
  throw new RegistryError('invalid', message, field);
}

/** Throws `invalid` for days that are not in the calendar or in the wrong order. */
export function checkDays({ firstDay, lastDay }: Pick<Dispute, 'firstDay' | 'lastDay'>): void {
  checkDay(firstDay, 'from');
  checkDay(lastDay, 'until');
  if (lastDay < firstDay) {
    const message = `the last day, ${lastDay}, comes before the first, ${firstDay}`;
    throw new RegistryError('invalid', message, 'until');
  }
}

/**
 * Closes the name's dispute in force, or the next one, so that the name is not disputed today (in UTC). The dispute
 * stays on record. Throws `not_found`, `changed_meanwhile`.
 */
export async function closeDispute(
  operation: Operation,
  { name }: Pick<DomainName, 'name'>,
): Promise<void> {
  const { db, origin } = operation;
  let first: Dispute | undefined;
  const isNotOver = gte(disputes.lastDay, dayOf(origin.request.at));
  const look = () =>
    db
      .select()
      .from(disputes)
      .where(and(eq(disputes.name, name), isNotOver, isNull(disputes.closedAt)))
      .orderBy(asc(disputes.firstDay))
      .limit(1);
  const judge = ([dispute]: Dispute[]): Change<void> => {
    // Another dispute, which comes first now, is not the one to close.
    if (first && JSON.stringify(first) !== JSON.stringify(dispute)) throw changedMeanwhile();
    if (!dispute) {
      throw new RegistryError('not_found', `${JSON.stringify(name)} is not disputed`, 'name');
    }
    first = dispute;
    return closure(operation, dispute, origin.request.at.toISOString());
  };
  await write(db, origin.request, { look, judge }, operation);
}
