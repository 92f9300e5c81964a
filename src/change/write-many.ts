import { type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { type HistorySubject, history } from '../../drizzle/schema.ts';
import type { Database } from '../base/database/open.ts';
import { retry } from '../base/database/retry.ts';
import { isAboutOtherRow, mentions } from '../base/database/violations.ts';
import { RegistryError } from '../base/error.ts';
import type { Action } from './history/changes.ts';
import { type RecordedRows, record } from './history/record.ts';
import { findNewestId } from './history/search.ts';
import type { Operation } from './origin.ts';
import { busy, maximumLosses, pauseAfterLoss, waitForTurn } from './turn.ts';
import { changedMeanwhile } from './write.ts';

/** A change of rows that were read before, for example to ask about them. */
export interface SeenOperation extends Operation {
  /**
   * The newest entry of history when the rows were read. If one of them has changed since, throws `changed_meanwhile`
   * and changes nothing.
   */
  seen?: number | undefined;
}

export interface ChangesOfMany extends RecordedRows {
  statements: readonly BatchItem<'sqlite'>[];
}

/**
 * Plans a change of many things, writes it with `changeEach`, and returns its outcome. Changes of one isolate that name
 * the same row take turns. Plans again after a transient fault of D1 and after a lost race; with `seen`, a lost race
 * throws `changed_meanwhile`. Throws `busy`.
 */
export async function writeMany<Outcome>(
  { db, origin, isDryRun = false, seen }: SeenOperation,
  row: string,
  plan: (lastEntryId: number) => Promise<{ outcome: Outcome; write: () => Promise<unknown> }>,
): Promise<Outcome> {
  let first: number | undefined;
  let planned: Awaited<ReturnType<typeof plan>> | undefined;
  const attempt = async () => {
    // Read before the plan, so that a change in between makes the write fail.
    const newest = await findNewestId(db);
    first ??= newest;
    const isOfRequest = sql`id > ${first} and request_id = ${origin.request.requestId}`;
    // Keeps what others have done since.
    if (planned && (await db.$count(history, isOfRequest)) > 0) return planned.outcome;
    planned = await plan(seen ?? newest);
    if (!isDryRun) await planned.write();
    return planned.outcome;
  };
  const turn = await waitForTurn(row);
  try {
    for (let losses = 0; losses < maximumLosses; losses++) {
      try {
        return await retry(attempt);
      } catch (error) {
        const isLost = error instanceof RegistryError && error.reason === 'changed_meanwhile';
        if (!isLost || seen !== undefined) throw error;
        await pauseAfterLoss(losses);
      }
    }
  } finally {
    turn.end();
  }
  throw busy();
}

/**
 * Changes that the statements make to the rows of a query. Its column `row` is JSON with `changes`, `uuid` and the code
 * of the `registrar`, if there are any, and the history's key as `key`, `code` or `name`.
 */
export function changesOfRows(
  subject: HistorySubject,
  action: Action,
  rows: SQL,
  statements: readonly BatchItem<'sqlite'>[],
): ChangesOfMany {
  return {
    subject,
    action,
    key: sql`coalesce(row ->> 'key', row ->> 'code', row ->> 'name')`,
    uuid: sql`row ->> 'uuid'`,
    registrar: sql`row ->> 'registrar'`,
    changes: sql`row -> 'changes'`,
    source: sql`from (${rows})`,
    statements,
  };
}

/**
 * Changes many things, all or none, in one batch: first the history, then the rows, in the order given. Returns how
 * many it recorded of each kind. Throws `changed_meanwhile` unless `onlyIf` holds when the batch begins, and if another
 * row conflicts or is missing. A dry run counts the rows.
 */
export async function changeEach<Kind extends string>(
  operation: Operation,
  kinds: Record<Kind, readonly ChangesOfMany[]>,
  onlyIf: SQL = sql`true`,
): Promise<Record<Kind, number>> {
  const { db, isDryRun = false } = operation;
  const counts = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, 0]));
  const batch: BatchItem<'sqlite'>[] = [];
  const recorded = new Map<number, string>();
  for (const [kind, changes] of Object.entries<readonly ChangesOfMany[]>(kinds)) {
    for (const change of changes) {
      if (isDryRun) counts[kind]! += await db.$count(sql`(select 1 ${change.source})`);
      recorded.set(batch.length, kind);
      batch.push(record(operation, change), ...change.statements);
    }
  }
  if (isDryRun || batch.length === 0) return counts as Record<Kind, number>;
  const results = await batchIf(db, onlyIf, batch);
  for (const [index, kind] of recorded) counts[kind]! += (results[index] as D1Result).meta.changes;
  return counts as Record<Kind, number>;
}

/**
 * Unless the condition holds, the first statement fails, and the batch with it. The invalid JSON path in SQLite's error
 * identifies this guard.
 */
async function batchIf(
  db: Database,
  onlyIf: SQL,
  batch: readonly BatchItem<'sqlite'>[],
): Promise<readonly unknown[]> {
  const guard = db
    .select({ isAllowed: sql`json_extract('{}', iif(${onlyIf}, '$', 'changed_meanwhile'))` })
    .from(sql`(select 1)`);
  try {
    return (await db.batch([guard, ...batch])).slice(1);
  } catch (error) {
    const isLost = mentions(error, "'changed_meanwhile'") || isAboutOtherRow(error);
    throw isLost ? changedMeanwhile() : error;
  }
}
