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
import type { DomainName } from '../../name.ts';
import { closingUpdate, type Dispute, subjectOf } from '../dispute.ts';

/** Includes past disputes. */
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

export type NewDispute = DomainName &
  DisputedDays &
  Partial<Pick<Dispute, 'password' | 'comment' | 'initiator'>>;

/** Throws `invalid` for wrong days, and `taken` if another dispute of the name shares a day with it. */
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

/** Gives an open dispute without a password one of 32 hexadecimal digits, so that it can be won. */
export function insertDisputes(db: Database, rows: SQL) {
  const values = valuesInJson(disputes);
  const password = sql`ifnull(${values.password}, iif(${values.closedAt} is null, lower(hex(randomblob(16))), null))`;
  return insertRows(db, disputes, { ...values, password }, sql`from (${rows})`);
}

/**
 * Closes, or opens again, the earliest dispute of each name that is not over, by the `changes` of `closedAt` in the
 * rows.
 */
export function updateClosures(db: Database, rows: SQL) {
  const was = sql.raw(`row ->> '$.changes.closedAt.from'`);
  const becomes = sql.raw(`row ->> '$.changes.closedAt.to'`);
  const disputeId = sql`(
    select id from ${disputes} as dispute
    where dispute.name = row ->> 'name' and dispute.closed_at is ${was}
      and dispute.last_day >= substr(ifnull(${was}, ${becomes}), 1, 10)
    order by dispute.first_day limit 1)`;
  const closedAt = sql`(select ${becomes} from (${rows}) where ${disputes.id} = ${disputeId})`;
  return db
    .update(disputes)
    .set({ closedAt })
    .where(sql`${disputes.id} in (select ${disputeId} from (${rows}))`);
}

export function deleteDisputes(db: Database, rows: SQL) {
  const { name, firstDay, lastDay, closedAt } = disputes;
  return db
    .delete(disputes)
    .where(sql`(${name}, ${firstDay}, ${lastDay}, ifnull(${closedAt}, '')) in (
    select row ->> 'name', row ->> 'firstDay', row ->> 'lastDay', ifnull(row ->> 'closedAt', '')
      from (${rows}))`);
}

export function overlaps(a: DisputedDays, b: DisputedDays): boolean {
  if (a.closedAt || b.closedAt) return false;
  return a.firstDay <= b.lastDay && b.firstDay <= a.lastDay;
}

export function overlapProblem({ name, firstDay, lastDay }: DisputedDays): Problem {
  const end = lastDay === untilClosed ? 'until it is closed' : `to ${lastDay}`;
  const message = `${JSON.stringify(name)} is already disputed from ${firstDay} ${end}`;
  return { reason: 'taken', message, field: 'name' };
}

/** Throws `invalid` unless the day is in the calendar. */
export function checkDay(day: string, field: string): void {
  if (isDay(day)) return;
  const message = `${JSON.stringify(day)} is not a day in the calendar; write it like 2026-01-31`;
  throw new RegistryError('invalid', message, field);
}

export function checkDays({ firstDay, lastDay }: Pick<Dispute, 'firstDay' | 'lastDay'>): void {
  checkDay(firstDay, 'first_day');
  checkDay(lastDay, 'last_day');
  if (lastDay < firstDay) {
    const message = `the last day, ${lastDay}, comes before the first, ${firstDay}`;
    throw new RegistryError('invalid', message, 'last_day');
  }
}

/**
 * Closes the name's dispute in force, or else the next one. The dispute stays on record, and the history keeps the
 * reason. Throws `not_found` and `changed_meanwhile`.
 */
export async function closeDispute(
  operation: Operation,
  { name, reason }: { name: string; reason: string },
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
    // If another dispute is first now, it is not the one to close.
    if (first && JSON.stringify(first) !== JSON.stringify(dispute)) throw changedMeanwhile();
    if (!dispute) {
      throw new RegistryError('not_found', `${JSON.stringify(name)} is not disputed`, 'name');
    }
    first = dispute;
    return closingUpdate(operation, dispute, origin.request.at.toISOString(), reason);
  };
  await write(db, origin.request, { look, judge }, operation);
}
