import { type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import {
  type ActorType,
  contacts,
  domainRoles,
  type HistorySubject,
  history,
} from '../../drizzle/schema.ts';
import { insertRows } from '../base/database/insert-rows.ts';
import type { Database } from '../base/database/open.ts';
import { pause, retried } from '../base/database/retry.ts';
import { isAboutOtherRow, mentions } from '../base/database/violations.ts';
import { RegistryError } from '../base/error.ts';
import type { Action, Changes, Subject } from './history/changes.ts';
import { findNewestId } from './history/search.ts';
import {
  type IdempotencyKey,
  isKeyTaken,
  type KeptFor,
  type KeptOutcome,
  keepOutcome,
  keptOutcomes,
  outcomeOf,
} from './outcome.ts';

export interface Actor {
  type: ActorType;
  /** Readers of the history see it: a name or a username, never an identity code. */
  name: string;
  /** Absent if the actor's requests have no idempotency keys. */
  keyHolder?: string | undefined;
}

export const scheduledRun: Actor = { type: 'cron', name: 'Scheduled run' };

export interface WriteRequest {
  at: Date;
  /** A request or command writes each subject at most once. */
  requestId: string;
  clientReference?: string | undefined;
  /** Judges a version by `If-Match` and `If-None-Match`; if absent, any may be written to. */
  isExpected?: ((version: string) => boolean) | undefined;
  /** Makes the write take effect once, however often the request is sent. */
  key?: IdempotencyKey | undefined;
}

export interface Origin {
  actor: Actor;
  request: WriteRequest;
}

/** A change to be made: where, by whom, in which request or command, and whether it is only tried. */
export interface Operation {
  db: Database;
  origin: Origin;
  /** Checks the change and counts what it would do, but writes nothing. */
  isDryRun?: boolean | undefined;
}

/** A change of rows that were looked at before, for example to ask about them. */
export interface SeenOperation extends Operation {
  /**
   * The newest entry of history when the rows were looked at. If one of them has changed since, nothing is changed, and
   * the change throws `changed_meanwhile`.
   */
  seen?: number | undefined;
}

export interface Change<Outcome> {
  by: Actor;
  subject: Subject;
  action: Action;
  changes: Changes;
  /**
   * The change is made, or its outcome kept where nothing differs, only if this holds, for example if the row is still
   * as it was seen.
   */
  onlyIf?: SQL | undefined;
  /**
   * The statements that make the change, and those that follow from it. They come after its history, and each writes
   * only where `isWritten` holds: this request has written the history. Absent if nothing differs.
   */
  statements?: (isWritten: SQL) => readonly BatchItem<'sqlite'>[];
  /** The result of the write: plain JSON, kept for the key. */
  outcome: Outcome;
  /** Refuses if another row stands in the way; absent where the next look sees what does. */
  taken?: RegistryError | undefined;
}

interface Attempt<Seen, Outcome> {
  /**
   * Reads all that `judge` needs in one round trip, with the query that `keptFor` returns for the holder of an
   * idempotency key.
   */
  look(keptFor: KeptFor): Promise<Seen & { kept?: KeptOutcome[] }>;
  /** Throws to refuse, or returns what to write. Called again after a lost race. */
  judge(seen: Seen): Change<Outcome>;
}

export interface Written<Outcome> {
  outcome: Outcome;
  /** The request took effect before, and this is the outcome that was kept. */
  isReplay: boolean;
}

/** Each lost race costs another look. After this many in a row, the row changes faster than it can be read. */
const maximumLosses = 16;
/** A loser waits a random time (full jitter), so that writers that collided do not collide again. */
const firstWaitMilliseconds = 10;
const maximumWaitMilliseconds = 1_000;

/**
 * The one way to change one thing: look, judge, then write the history, the change and the outcome for the key in one
 * batch. After a lost race or a transient fault of D1, it tries again. A batch that D1 reports as failed may have
 * taken effect; the history shows whether it did. A dry run stops after judging. Throws what the attempt throws,
 * `key_reused`.
 */
export async function write<Seen, Outcome>(
  db: Database,
  request: WriteRequest,
  { look, judge }: Attempt<Seen, Outcome>,
  { isDryRun = false }: Pick<Operation, 'isDryRun'> = {},
): Promise<Written<Outcome>> {
  let inDoubt: Change<Outcome> | undefined;
  const attempt = async () => {
    if (inDoubt && (await isRecorded(db, request, inDoubt.subject))) {
      return { outcome: inDoubt.outcome, isReplay: false };
    }
    const seen = await look((keyHolder) => keptOutcomes(db, keyHolder, request.key));
    const kept = outcomeOf<Outcome>(seen.kept, request.key);
    if (kept) return { outcome: kept.outcome, isReplay: true };
    const change = judge(seen);
    if (isDryRun) return { outcome: change.outcome, isReplay: false };
    inDoubt = change;
    const isWritten = await commit(db, request, change);
    return isWritten ? { outcome: change.outcome, isReplay: false } : undefined;
  };
  let cause: unknown;
  for (let losses = 0; losses < maximumLosses; losses++) {
    try {
      const written = await retried(attempt);
      if (written) return written;
    } catch (error) {
      if (!isAboutOtherRow(error)) throw error;
      if (inDoubt?.taken && !isKeyTaken(error)) throw inDoubt.taken;
      cause = error;
    }
    inDoubt = undefined;
    await pauseAfterLoss(losses);
  }
  throw new Error('every attempt lost the race for the row', { cause });
}

function pauseAfterLoss(losses: number): Promise<void> {
  const longest = Math.min(firstWaitMilliseconds * 2 ** losses, maximumWaitMilliseconds);
  return pause(Math.random() * longest);
}

/**
 * Plans a change of many things, writes it with `changeEach`, and returns its outcome. Plans it again after a
 * transient fault of D1, and while somebody else is faster; but what was `seen` before is not planned again: then
 * throws `changed_meanwhile`.
 */
export async function writeMany<Outcome>(
  { db, origin, isDryRun = false, seen }: SeenOperation,
  plan: (lastEntryId: number) => Promise<{ outcome: Outcome; write: () => Promise<unknown> }>,
): Promise<Outcome> {
  let first: number | undefined;
  let planned: Awaited<ReturnType<typeof plan>> | undefined;
  const attempt = async () => {
    // The newest entry comes before the plan, so a change in between makes the write fail.
    const newest = await findNewestId(db);
    first ??= newest;
    const isOfRequest = sql`id > ${first} and request_id = ${origin.request.requestId}`;
    // What others have done since stays.
    if (planned && (await db.$count(history, isOfRequest)) > 0) return planned.outcome;
    planned = await plan(seen ?? newest);
    if (!isDryRun) await planned.write();
    return planned.outcome;
  };
  for (let losses = 0; ; losses++) {
    try {
      return await retried(attempt);
    } catch (error) {
      const isLost = error instanceof RegistryError && error.reason === 'changed_meanwhile';
      if (!isLost || seen !== undefined || losses === maximumLosses) throw error;
      await pauseAfterLoss(losses);
    }
  }
}

/** Writes the change in one batch; false if another writer was faster. */
async function commit<Outcome>(
  db: Database,
  request: WriteRequest,
  change: Change<Outcome>,
): Promise<boolean> {
  const held = { ...request, keyHolder: change.by.keyHolder };
  const keep = (condition: SQL) => keepOutcome(db, held, change.outcome, condition);
  if (!change.statements) {
    const [kept] = keep(change.onlyIf ?? sql`true`);
    return !kept || (await db.batch([kept]))[0].meta.changes > 0;
  }
  const kept = keep(isWrittenBy(request, change.subject));
  const [entry, ...others] = statementsOf(db, request, change);
  // The key comes before the rows, which the same request may have written when it was sent twice.
  const [recorded] = await db.batch([entry, ...kept, ...others]);
  return recorded.meta.changes > 0;
}

/** Its history comes first. For `write`, and for a change that follows from another. */
export function statementsOf(
  db: Database,
  request: WriteRequest,
  { by, subject, action, changes, onlyIf = sql`true`, statements }: Omit<Change<never>, 'outcome'>,
) {
  const { type, key, uuid, registrar } = subject;
  const row = {
    subject: type,
    action,
    key: sql`${key}`,
    uuid: sql`${uuid ?? null}`,
    registrar: sql`${registrar ?? null}`,
    changes: sql`${JSON.stringify(changes)}`,
    source: sql`where ${onlyIf}`,
  };
  const isWritten = isWrittenBy(request, subject);
  const entry = record({ db, origin: { actor: by, request } }, row);
  return [entry, ...(statements?.(isWritten) ?? [])] as const;
}

/** Adds statements to the same batch. Nothing follows where nothing changes. */
export function followedBy<Outcome>(
  change: Change<Outcome>,
  consequences: (isWritten: SQL) => readonly BatchItem<'sqlite'>[],
): Change<Outcome> {
  const { statements } = change;
  if (!statements) return change;
  return {
    ...change,
    statements: (isWritten) => [...statements(isWritten), ...consequences(isWritten)],
  };
}

/** Whether the newest entry in the history of the subject is of this request. Reads one entry. */
function isWrittenBy({ requestId }: WriteRequest, { type, key, uuid }: Subject): SQL {
  return sql`${requestId} = (
    select request_id from ${history} as entry
    where entry.subject = ${type} and entry.subject_key = ${key} and entry.subject_uuid is ${uuid ?? null}
    order by entry.id desc limit 1)`;
}

/** Whether the request has changed the subject, even if others have changed it since. */
async function isRecorded(
  db: Database,
  { requestId }: WriteRequest,
  { type, key, uuid }: Subject,
): Promise<boolean> {
  const { subject, subjectKey, subjectUuid } = history;
  const isOfRequest = sql`${subject} = ${type} and ${subjectKey} = ${key} and ${subjectUuid} is ${uuid ?? null}
    and ${history.requestId} = ${requestId}`;
  return (await db.$count(history, isOfRequest)) > 0;
}

/** A change of many things of one kind: SQL for one row of history for each that is going to change. */
export interface ChangesOfMany {
  subject: HistorySubject;
  action: Action;
  key: SQL;
  uuid: SQL | null;
  /** The code of the registrar whose row it is or was; null for what belongs to none. */
  registrar: SQL | null;
  /** JSON. */
  changes: SQL;
  /** The rest of the query of these rows: `from …`. */
  source: SQL;
  statements: readonly BatchItem<'sqlite'>[];
}

/**
 * Changes that the statements make to the rows of a query, which has each in its column `row`: JSON with its `changes`, its
 * `uuid` and the code of its `registrar`, if it has them, and as its `key`, `code` or `name` the key in the history.
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
 * Changes many things, all or none, in one batch: first the history of the rows, then the rows, in the order given.
 * Returns how many it recorded of each kind. Throws `changed_meanwhile` unless `onlyIf` holds when the batch begins,
 * and if another row stands in the way, or is gone. A dry run counts the rows.
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
  for (const [kind, all] of Object.entries<readonly ChangesOfMany[]>(kinds)) {
    for (const change of all) {
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
 * The results of the batch. Unless the condition holds, a statement before it fails, and the batch with it; the
 * invalid JSON path in SQLite's error identifies this guard.
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

export function changedMeanwhile(): RegistryError {
  const message = 'somebody else changed this just now, so it was left as it is; look again';
  return new RegistryError('changed_meanwhile', message);
}

/** Throws `changed_meanwhile` for any other version than the one that the request expects, if it expects one. */
export function checkExpected({ isExpected }: WriteRequest, version: string): void {
  if (isExpected && !isExpected(version)) throw changedMeanwhile();
}

function record(
  { db, origin: { actor, request } }: Operation,
  { subject, action, key, uuid, registrar, changes, source }: Omit<ChangesOfMany, 'statements'>,
) {
  const entry = {
    occurredAt: request.at.toISOString(),
    subject,
    subjectKey: sql`recorded.key`,
    subjectUuid: sql`recorded.uuid`,
    registrar: sql`recorded.registrar`,
    action,
    actorType: actor.type,
    actor: actor.name,
    requestId: request.requestId,
    clientReference: request.clientReference ?? null,
    changes: subject === 'domain' ? withContactUuids(sql`recorded.changes`) : sql`recorded.changes`,
  };
  const rows = sql`select ${key} as key, ${uuid} as uuid, ${registrar} as registrar, ${changes} as changes ${source}`;
  return insertRows(db, history, entry, sql`from (${rows}) as recorded`);
}

/**
 * The changes of a domain, which are JSON, with the UUIDs that its contacts have now beside their codes: a code may be
 * given to another contact later.
 */
function withContactUuids(changes: SQL): SQL {
  const roles = sql.raw(domainRoles.map((role) => `'${role}'`).join(', '));
  const uuids = sql`select json_group_object(code, uuid) from ${contacts}
    where code in (select atom from json_tree(change.value))`;
  return sql`(
    select json_group_object(change.key, json(
      iif(change.key in (${roles}), json_set(change.value, '$.uuids', json((${uuids}))), change.value)))
    from json_each(${changes}) as change)`;
}
