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
 * Returns problems for wrong days, for disputes that share a day with another of the name, and for a closed dispute
 * that is open here.
 */
export async function findDisputeProblems(
  db: Database,
  records: readonly NewDispute[],
): Promise<RecordProblem<NewDispute>[]> {
  return problemsOf(records, await loadDisputes(db, records));
}

/**
 * Opens the disputes that do not exist yet, all or none, in one batch for some ten thousand records, and counts them.
 * Throws the problems of `findDisputeProblems`.
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
  const changes = { opened: jsonArrays(rows).map((array) => openings(db, array)) };
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

/** Reports the later of two overlapping records. */
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
  const message = `the dispute of ${JSON.stringify(name)} from ${firstDay} is not closed here; close it first`;
  const command = ['dispute', 'close', name, '--help'];
  return { reason: 'taken', message, field: 'closed_at', command };
}

/** Closed disputes count too, so that importing an older file again opens none. */
function isSame(a: DisputedDays, b: DisputedDays): boolean {
  return a.name === b.name && a.firstDay === b.firstDay && a.lastDay === b.lastDay;
}

/** Skips disputes that were added meanwhile, or that another overlaps. */
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
