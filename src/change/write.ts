import { type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { history } from '../../drizzle/schema.ts';
import type { Database } from '../base/database/open.ts';
import { retry } from '../base/database/retry.ts';
import { isAboutOtherRow } from '../base/database/violations.ts';
import { RegistryError } from '../base/error.ts';
import type { Action, Changes, Subject } from './history/changes.ts';
import { record } from './history/record.ts';
import type { Operation, Origin, WriteRequest } from './origin.ts';
import {
  isKeyTaken,
  type KeptFor,
  type KeptOutcome,
  keepOutcome,
  outcomeOf,
  selectOutcome,
} from './outcome.ts';
import { busy, maximumLosses, pauseAfterLoss, type Turn, takeTurn, waitForTurn } from './turn.ts';

/** `origin`, `subject` and `isWritten` come from `changeOf`. */
export interface Change<Outcome> {
  origin: Origin;
  subject: Subject;
  /** True if this request wrote the newest entry in the history of the subject. Reads one entry. */
  isWritten: SQL;
  action: Action;
  changes: Changes;
  /** Guards the change, or the outcome where nothing differs: for example, the row is still as it was seen. */
  onlyIf?: SQL | undefined;
  /**
   * The change and its consequences. They come after its history, and each writes only where `isWritten` holds, unless
   * the history is always written. Absent if nothing differs.
   */
  statements?: readonly BatchItem<'sqlite'>[] | undefined;
  /** Plain JSON, kept for the key. */
  outcome: Outcome;
  /** The refusal if another row prevents the change. Absent if the next look finds the reason. */
  taken?: RegistryError | undefined;
}

/** Spread into a change, so that its history and statements share request and subject. */
export function changeOf<About extends Subject>(
  { origin: { actor, request } }: Pick<Operation, 'origin'>,
  subject: About,
) {
  const { type, key, uuid } = subject;
  const isWritten = sql`${request.requestId} = (
    select request_id from ${history} as entry
    where entry.subject = ${type} and entry.subject_key = ${key}
      and entry.subject_uuid is ${uuid ?? null}
    order by entry.id desc limit 1)`;
  return { origin: { actor, request }, subject, isWritten };
}

interface Attempt<Seen, Outcome> {
  /**
   * Reads all that `judge` needs in one round trip, with the query of `keptFor` for the holder of an idempotency key.
   */
  look(keptFor: KeptFor): Promise<Seen & { kept?: KeptOutcome[] }>;
  /** Throws to refuse. Called again after a lost race. */
  judge(seen: Seen): Change<Outcome>;
}

export interface Written<Outcome> {
  outcome: Outcome;
  /** The request took effect before, and this is its kept outcome. */
  isReplay: boolean;
}

/**
 * The one way to change one thing: look, judge, then write the history, the change and the outcome for the key in one
 * batch. Writers of one isolate take turns at a row. Repeats after a lost race or a transient fault of D1. If D1
 * reports a failure, the history shows whether the batch took effect. A dry run stops after judging. Throws what the
 * attempt throws, `key_reused`, and `busy`.
 */
export async function write<Seen, Outcome>(
  db: Database,
  request: WriteRequest,
  { look, judge }: Attempt<Seen, Outcome>,
  { isDryRun = false }: Pick<Operation, 'isDryRun'> = {},
): Promise<Written<Outcome>> {
  let inDoubt: Change<Outcome> | undefined;
  let turnKey = '';
  let turn: Turn | undefined;
  const attempt = async () => {
    if (inDoubt && (await isRecorded(db, inDoubt))) {
      return { outcome: inDoubt.outcome, isReplay: false };
    }
    const seen = await look((keyHolder) => selectOutcome(db, keyHolder, request.key));
    const kept = outcomeOf<Outcome>(seen.kept, request.key);
    if (kept) return { outcome: kept.outcome, isReplay: true };
    const change = judge(seen);
    if (isDryRun) return { outcome: change.outcome, isReplay: false };
    turnKey = `${change.subject.type} ${change.subject.key}`;
    turn ??= takeTurn(turnKey);
    if (!turn) return undefined;
    inDoubt = change;
    return (await commit(db, change)) ? { outcome: change.outcome, isReplay: false } : undefined;
  };
  let cause: unknown;
  try {
    for (let losses = 0; losses < maximumLosses; losses++) {
      try {
        const written = await retry(attempt);
        if (written) return written;
      } catch (error) {
        if (!isAboutOtherRow(error)) throw error;
        if (inDoubt?.taken && !isKeyTaken(error)) throw inDoubt.taken;
        cause = error;
      }
      inDoubt = undefined;
      if (turn) await pauseAfterLoss(losses);
      else turn = await waitForTurn(turnKey);
    }
  } finally {
    turn?.end();
  }
  throw busy(cause);
}

/** False if another writer was faster. */
async function commit<Outcome>(db: Database, change: Change<Outcome>): Promise<boolean> {
  const { actor, request } = change.origin;
  const keyedRequest = { ...request, keyHolder: actor.keyHolder };
  const keep = (condition: SQL) => keepOutcome(db, keyedRequest, change.outcome, condition);
  if (!change.statements) {
    // Keeps nothing without a guard, because the person may be erased at the same time.
    const [kept] = change.onlyIf ? keep(change.onlyIf) : [];
    return !kept || (await db.batch([kept]))[0].meta.changes > 0;
  }
  const kept = keep(change.isWritten);
  const [entry, ...others] = statementsOf(db, change);
  // The key comes before the rows, so that a request that was sent twice fails for its key, not for its own rows.
  const [recorded] = await db.batch([entry, ...kept, ...others]);
  return recorded.meta.changes > 0;
}

/** Returns the statements, the history first. For `write`, and for consequences of another change. */
export function statementsOf(
  db: Database,
  {
    origin,
    subject,
    action,
    changes,
    onlyIf = sql`true`,
    statements = [],
  }: Omit<Change<never>, 'outcome'>,
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
  return [record({ db, origin }, row), ...statements] as const;
}

/** Adds statements to the same batch, unless nothing changes. */
export function appendStatements<Outcome>(
  change: Change<Outcome>,
  consequences: readonly BatchItem<'sqlite'>[],
): Change<Outcome> {
  const { statements } = change;
  return statements ? { ...change, statements: [...statements, ...consequences] } : change;
}

/** True if the request has changed the subject, even if others have changed it since. */
async function isRecorded(db: Database, { origin, subject }: Change<unknown>): Promise<boolean> {
  const { type, key, uuid } = subject;
  const isOfRequest = sql`${history.subject} = ${type} and ${history.subjectKey} = ${key}
    and ${history.subjectUuid} is ${uuid ?? null} and ${history.requestId} = ${origin.request.requestId}`;
  return (await db.$count(history, isOfRequest)) > 0;
}

export function changedMeanwhile(): RegistryError {
  const message = 'somebody else changed this just now, so it was left as it is; look again';
  return new RegistryError('changed_meanwhile', message);
}

/** Throws `changed_meanwhile` unless the request accepts this version. */
export function checkExpected({ isExpected }: WriteRequest, version: string): void {
  if (isExpected && !isExpected(version)) throw changedMeanwhile();
}
