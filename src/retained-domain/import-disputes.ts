import { asc, sql } from 'drizzle-orm';
import { disputes } from '../../drizzle/schema.ts';
import { insertRows } from '../database/insert-rows.ts';
import { isIn, jsonArrays } from '../database/json-rows.ts';
import type { Database } from '../database/open.ts';
import { type Problem, type RecordProblem, RegistryError, throwProblems } from '../error.ts';
import { difference } from '../history/changes.ts';
import { type ChangeOptions, type ChangesOfMany, changeEach, type Origin } from '../write.ts';
import {
  checkDays,
  type DisputedDays,
  type NewDispute,
  overlapProblem,
  overlaps,
} from './dispute.ts';

/**
 * Days that are not in the calendar or in the wrong order, disputes that share days with another of the name, and a closed
 * one that is open here.
 */
export async function findDisputeProblems(
  db: Database,
  records: readonly NewDispute[],
): Promise<RecordProblem<NewDispute>[]> {
  return problemsOf(records, await loadDisputes(db, records));
}

/**
 * Opens the disputes that do not exist yet, all or none, and counts them. It is one batch, for some ten thousand
 * records at a time. Throws the problems that `findDisputeProblems` finds.
 */
export async function importDisputes(
  db: Database,
  origin: Origin,
  records: readonly NewDispute[],
  { isDryRun = false }: ChangeOptions = {},
): Promise<{ opened: number; unchanged: number }> {
  const present = await loadDisputes(db, records);
  throwProblems(problemsOf(records, present));
  const missing = records.filter((record) => !present.some((other) => isSame(record, other)));
  const { at } = origin.request;
  const withChanges = missing.map(({ name, punycode, ...fields }) => ({
    ...{ name, punycode, ...fields },
    changes: difference({}, fields),
  }));
  const openingsOf = jsonArrays(withChanges).map((rows) => openings(db, rows, at));
  const { opened } = isDryRun
    ? { opened: missing.length }
    : await changeEach(db, origin, { opened: openingsOf });
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

/** Of two records that overlap, the second one is wrong. */
function problemsOf(
  records: readonly NewDispute[],
  present: readonly DisputedDays[],
): RecordProblem<NewDispute>[] {
  const others = Map.groupBy<string, DisputedDays>([...present, ...records], ({ name }) => name);
  return records.flatMap((record) => {
    try {
      checkDays(record);
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      return error.problems.map((problem) => ({ ...problem, record }));
    }
    const isOpenHere = present.some((other) => isSame(record, other) && other.closedAt === null);
    if (isOpenHere && record.closedAt) return [{ ...notClosed(record), record }];
    const ofName = others.get(record.name)!;
    const overlapping = ofName
      .slice(0, ofName.indexOf(record))
      .find((other) => !isSame(record, other) && overlaps(record, other));
    return overlapping ? [{ ...overlapProblem(overlapping), record }] : [];
  });
}

function notClosed({ name, firstDay }: NewDispute): Problem {
  const message = `the dispute of ${JSON.stringify(name)} from ${firstDay} is not closed here; close it with dispute close`;
  return { reason: 'taken', message, field: 'closedAt' };
}

/** Closed or not: importing an older file again reopens nothing. */
function isSame(one: DisputedDays, other: DisputedDays): boolean {
  return (
    one.name === other.name && one.firstDay === other.firstDay && one.lastDay === other.lastDay
  );
}

/** Opens the disputes that have not been added and that no other one overlaps in the meantime. */
function openings(db: Database, records: string, createdAt: Date): ChangesOfMany {
  const field = (name: string) => sql.raw(`value ->> '${name}'`);
  const isSame = sql`kept.first_day = ${field('firstDay')} and kept.last_day = ${field('lastDay')}`;
  const isOverlapping = sql`kept.closed_at is null and ${field('closedAt')} is null
    and kept.first_day <= ${field('lastDay')} and kept.last_day >= ${field('firstDay')}`;
  const free = sql`from json_each(${records}) where not exists (
    select 1 from ${disputes} as kept
    where kept.name = ${field('name')} and (${isSame} or ${isOverlapping}))`;
  const values = {
    name: field('name'),
    punycode: field('punycode'),
    firstDay: field('firstDay'),
    lastDay: field('lastDay'),
    password: field('password'),
    comment: field('comment'),
    initiator: field('initiator'),
    closedAt: field('closedAt'),
    createdAt: createdAt.toISOString(),
  };
  return {
    subject: 'dispute',
    action: 'create',
    rows: {
      key: field('name'),
      uuid: null,
      registrar: null,
      changes: sql`value -> 'changes'`,
      source: free,
    },
    statements: [insertRows(db, disputes, values, free)],
  };
}
