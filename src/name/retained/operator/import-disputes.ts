import { asc, sql } from 'drizzle-orm';
import { disputes } from '../../../../drizzle/schema.ts';
import { isIn, jsonArrays, rowsIn } from '../../../base/database/json-rows.ts';
import type { Database } from '../../../base/database/open.ts';
import { orRefusal, type Problem, type RecordProblem, throwProblems } from '../../../base/error.ts';
import type { Operation } from '../../../change/origin.ts';
import { changeEach, changesOfRows } from '../../../change/write-many.ts';
import {
  checkDays,
  type DisputedDays,
  insertDisputes,
  type NewDispute,
  newDispute,
  overlapProblem,
  overlaps,
} from './dispute.ts';

/**
 * Days that are not in the calendar or in the wrong order, disputes that share days with another of the name, and a
 * closed one that is open here.
 */
export async function findDisputeProblems(
  db: Database,
  records: readonly NewDispute[],
): Promise<RecordProblem<NewDispute>[]> {
  return problemsOf(records, await loadDisputes(db, records));
}

/**
 * Opens the disputes that do not exist yet, all or none, and counts them. One batch, for some ten thousand records at a
 * time. Throws the problems that `findDisputeProblems` finds.
 */
export async function importDisputes(
  operation: Operation,
  records: readonly NewDispute[],
): Promise<{ opened: number; unchanged: number }> {
  const { db, origin } = operation;
  const present = await loadDisputes(db, records);
  throwProblems(problemsOf(records, present));
  const missing = records.filter((record) => !present.some((other) => isSame(record, other)));
  const rows = missing.map((record) => newDispute(record, origin.request.at));
  const changes = { opened: jsonArrays(rows).map((some) => openings(db, some)) };
  const { opened } = await changeEach(operation, changes, undefined);
  return { opened, unchanged: records.length - opened };
}

async function loadDisputes(db: Database, records: readonly NewDispute[]): Promise<DisputedDays[]> {
  const { name, firstDay, lastDay, closedAt } = disputes;
  const kept: DisputedDays[] = [];
  for (const names of jsonArrays(new Set(records.map((record) => record.name)))) {
    kept.push(
      ...(await db
        .select({ name, firstDay, lastDay, closedAt })
        .from(disputes)
        .where(isIn(name, names))
        .orderBy(asc(firstDay))),
    );
  }
  return kept;
}

/** Reports the later one of two records that overlap. */
function problemsOf(
  records: readonly NewDispute[],
  present: readonly DisputedDays[],
): RecordProblem<NewDispute>[] {
  const disputesOf = Map.groupBy<string, DisputedDays>(
    [...present, ...records],
    ({ name }) => name,
  );
  return records.flatMap((record) => {
    const refusal = orRefusal(() => checkDays(record));
    if (refusal) return refusal.problems.map((problem) => ({ ...problem, record }));
    const isOpenHere = present.some((other) => isSame(record, other) && other.closedAt === null);
    if (isOpenHere && record.closedAt) return [{ ...notClosed(record), record }];
    const all = disputesOf.get(record.name)!;
    const earlier = all.slice(0, all.indexOf(record));
    const overlapping = earlier.find((other) => !isSame(record, other) && overlaps(record, other));
    return overlapping ? [{ ...overlapProblem(overlapping), record }] : [];
  });
}

function notClosed({ name, firstDay }: NewDispute): Problem {
  const message = `the dispute of ${JSON.stringify(name)} from ${firstDay} is not closed here; close it with dispute close`;
  return { reason: 'taken', message, field: 'closedAt' };
}

/** Counts closed disputes too, so that importing an older file again reopens nothing. */
function isSame(one: DisputedDays, other: DisputedDays): boolean {
  return (
    one.name === other.name && one.firstDay === other.firstDay && one.lastDay === other.lastDay
  );
}

/** Leaves out disputes that were added or that another one overlaps in the meantime. */
function openings(db: Database, rows: string) {
  const field = (name: string) => sql.raw(`row ->> '${name}'`);
  const isSame = sql`kept.first_day = ${field('firstDay')} and kept.last_day = ${field('lastDay')}`;
  const isOverlapping = sql`kept.closed_at is null and ${field('closedAt')} is null
    and kept.first_day <= ${field('lastDay')} and kept.last_day >= ${field('firstDay')}`;
  const free = sql`select row from (${rowsIn(rows)}) where not exists (
    select 1 from ${disputes} as kept
    where kept.name = ${field('name')} and (${isSame} or ${isOverlapping}))`;
  return changesOfRows('dispute', 'create', free, [insertDisputes(db, free)]);
}
