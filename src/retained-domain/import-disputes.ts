import { asc, sql } from 'drizzle-orm';
import { disputes } from '../../drizzle/schema.ts';
import { insertRows } from '../database/insert-rows.ts';
import { isIn, jsonArrays } from '../database/json-rows.ts';
import type { Database } from '../database/open.ts';
import { type RecordProblem, RegistryError, throwProblems } from '../error.ts';
import { type ChangeOptions, type ChangesOfMany, changeEach, type Origin } from '../write.ts';
import {
  checkDays,
  type DisputedDays,
  type NewDispute,
  overlapProblem,
  overlaps,
} from './dispute.ts';

/** Days that are not in the calendar or in the wrong order, and disputes that share days with another of the name. */
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
  const openingsOf = jsonArrays(missing).map((rows) => openings(db, rows, at));
  const { opened } = isDryRun
    ? { opened: missing.length }
    : await changeEach(db, origin, { opened: openingsOf });
  return { opened, unchanged: records.length - opened };
}

async function loadDisputes(db: Database, records: readonly NewDispute[]): Promise<DisputedDays[]> {
  const { name, firstDay, lastDay } = disputes;
  const kept: DisputedDays[] = [];
  for (const names of jsonArrays(new Set(records.map((record) => record.name)))) {
    kept.push(
      ...(await db
        .select({ name, firstDay, lastDay })
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
    const ofName = others.get(record.name)!;
    const overlapping = ofName
      .slice(0, ofName.indexOf(record))
      .find((other) => !isSame(record, other) && overlaps(record, other));
    return overlapping ? [{ ...overlapProblem(overlapping), record }] : [];
  });
}

function isSame(one: DisputedDays, other: DisputedDays): boolean {
  return (
    one.name === other.name && one.firstDay === other.firstDay && one.lastDay === other.lastDay
  );
}

/** Opens the disputes that no other one overlaps in the meantime. */
function openings(db: Database, rows: string, createdAt: Date): ChangesOfMany {
  const free = sql`
    select value ->> 'name' as name, value ->> 'punycode' as punycode,
      value ->> 'firstDay' as first_day, value ->> 'lastDay' as last_day
    from json_each(${rows}) where not exists (
      select 1 from ${disputes} as kept where kept.name = value ->> 'name'
        and kept.first_day <= value ->> 'lastDay' and kept.last_day >= value ->> 'firstDay')`;
  const changes = sql`json_object(
    'firstDay', json_object('from', null, 'to', first_day),
    'lastDay', json_object('from', null, 'to', last_day))`;
  const values = {
    name: sql`name`,
    punycode: sql`punycode`,
    firstDay: sql`first_day`,
    lastDay: sql`last_day`,
    createdAt: createdAt.toISOString(),
  };
  return {
    subject: 'dispute',
    action: 'create',
    rows: sql`select name as key, null as uuid, ${changes} as changes from (${free})`,
    statements: [insertRows(db, disputes, values, sql`from (${free})`)],
  };
}
