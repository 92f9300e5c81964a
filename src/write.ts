import { and, lt, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { type ActorType, idempotencyKeys } from '../drizzle/schema.ts';
import type { Database } from './database/open.ts';
import { isPassingFault, maximumTries, pause, pauseAfterFault } from './database/retry.ts';
import { isUniqueViolation } from './database/violations.ts';
import { RegistryError } from './error.ts';
import {
  type Action,
  type Changes,
  isRecorded,
  recordIfChanged,
  type Subject,
} from './history/changes.ts';

/** Who acts. */
export interface Actor {
  type: ActorType;
  /** As readers of the history see it: a name or a username, never an identity code. */
  name: string;
  /** Whose idempotency keys a request of this actor uses; absent if it has none. */
  keyHolder?: string | undefined;
}

/** The request or command that writes. */
export interface WriteRequest {
  at: Date;
  /** Unique to the request or command. */
  requestId: string;
  /** The client's own reference for its transaction. */
  clientReference?: string | undefined;
  /** Whether the write may be made to this version (`If-Match`); if absent, to any version. */
  isExpected?: ((version: string) => boolean) | undefined;
  /** Asks that the write take effect once, however often the request is sent. */
  key?: IdempotencyKey | undefined;
}

/** An `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header) and a digest that tells its request from others. */
export interface IdempotencyKey {
  value: string;
  /** SHA-256 of method, path and body, in hexadecimal. */
  requestDigest: string;
}

/** Who acts, and in which request. */
export interface Origin {
  actor: Actor;
  request: WriteRequest;
}

/** How an operator's change is made. */
export interface ChangeOptions {
  /** Checks the change and counts what it would do, but writes nothing. */
  isDryRun?: boolean | undefined;
}

/** What a write is going to do. */
export interface Change<Outcome> {
  by: Actor;
  subject: Subject;
  action: Action;
  /** The fields that differ. */
  changes: Changes;
  /** The statement that makes the change if the row is still as it was seen; absent if nothing differs. */
  statement?: BatchItem<'sqlite'>;
  /** Statements that follow the change in the same batch. */
  followedBy?: readonly BatchItem<'sqlite'>[];
  /** The result of the write: plain JSON, kept for the key. */
  outcome: Outcome;
  /** What it means if a constraint rejects the batch: a refusal to throw, or another attempt. */
  onViolation?: (error: unknown) => RegistryError | 'again' | undefined;
}

/** One attempt to write. */
export interface Attempt<Seen, Outcome> {
  /**
   * Reads everything that `judge` needs in one round trip. For callers with idempotency keys, that includes the rows of
   * the query that `keptFor` returns for the holder of the key.
   */
  look(keptFor: KeptFor): Promise<Seen & { kept?: Kept[] }>;
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
 * The one way to write: look, judge, then write the change, its history and the outcome for the key in one batch. A lost
 * race or a transient fault of D1 leads to another attempt. A batch that D1 reports as failed may have taken effect; the
 * history shows whether it did. Throws what the attempt throws, and `key_reused`.
 */
export async function write<Seen, Outcome>(
  db: Database,
  request: WriteRequest,
  { look, judge }: Attempt<Seen, Outcome>,
): Promise<Written<Outcome>> {
  let inDoubt: Change<Outcome> | undefined;
  let losses = 0;
  let faults = 0;
  while (losses < maximumLosses) {
    try {
      if (inDoubt && (await isRecorded(db, inDoubt.subject, request.requestId))) {
        return { outcome: inDoubt.outcome, isReplay: false };
      }
      const seen = await look((keyHolder) => keptQuery(db, keyHolder, request.key));
      const kept = outcomeOf<Outcome>(seen.kept, request.key);
      if (kept) return { outcome: kept.outcome, isReplay: true };
      const change = judge(seen);
      inDoubt = change;
      if (await commit(db, request, change)) return { outcome: change.outcome, isReplay: false };
    } catch (error) {
      if (isPassingFault(error)) {
        faults += 1;
        if (faults === maximumTries) throw error;
        await pauseAfterFault(faults);
        continue;
      }
      const verdict = isKeyTaken(error) ? 'again' : inDoubt?.onViolation?.(error);
      if (verdict !== 'again') throw verdict ?? error;
    }
    inDoubt = undefined;
    await pause(
      Math.random() * Math.min(firstWaitMilliseconds * 2 ** losses, maximumWaitMilliseconds),
    );
    losses += 1;
  }
  throw new Error('every attempt lost the race for the row');
}

/** Writes the change in one batch; false if another writer was faster. */
async function commit<Outcome>(
  db: Database,
  request: WriteRequest,
  { by, subject, action, changes, statement, followedBy = [], outcome }: Change<Outcome>,
): Promise<boolean> {
  const { at, key } = request;
  const keep = (condition: SQL) =>
    key && by.keyHolder !== undefined
      ? [keepOutcome(db, by.keyHolder, key, outcome, at, condition)]
      : [];
  if (!statement) {
    const [first] = keep(sql`true`);
    if (first) await db.batch([first]);
    return true;
  }
  const [, recorded] = await db.batch([
    statement,
    recordIfChanged(db, { actor: by, request }, subject, action, changes),
    ...keep(sql`changes() > 0`),
    ...followedBy,
  ]);
  return recorded.meta.changes > 0;
}

type KeptQuery = ReturnType<typeof keptQuery>;
/** Returns the query for what is kept for the request's key, given the holder of the key. */
export type KeptFor = (keyHolder: SQL | string) => KeptQuery;
type Kept = Awaited<KeptQuery>[number];

/** Finds nothing if the request has no key. */
function keptQuery(db: Database, keyHolder: SQL | string, key: IdempotencyKey | undefined) {
  const { caller, requestDigest, outcome } = idempotencyKeys;
  return db
    .select({ requestDigest, outcome })
    .from(idempotencyKeys)
    .where(and(sql`${caller} = ${keyHolder}`, sql`${idempotencyKeys.key} = ${key?.value ?? null}`));
}

/** The outcome that is kept for this request. Throws `key_reused` if the key was used with another request. */
function outcomeOf<Outcome>(
  [kept]: readonly Kept[] = [],
  key: IdempotencyKey | undefined,
): { outcome: Outcome } | undefined {
  if (!kept || !key) return undefined;
  if (kept.requestDigest !== key.requestDigest) {
    throw new RegistryError('key_reused', 'Idempotency key was used with another request');
  }
  return { outcome: JSON.parse(kept.outcome) };
}

/** The insert that keeps the outcome; it comes right after the history of the change. */
function keepOutcome(
  db: Database,
  keyHolder: string,
  { value, requestDigest }: IdempotencyKey,
  outcome: unknown,
  at: Date,
  condition: SQL,
) {
  return db.insert(idempotencyKeys).select(sql`
    select ${keyHolder}, ${value}, ${requestDigest}, ${at.toISOString()}, ${JSON.stringify(outcome)}
    where ${condition}`);
}

/** Whether the batch failed because another request with the same key was faster. */
function isKeyTaken(error: unknown): boolean {
  return isUniqueViolation(error, 'idempotency_keys.caller, idempotency_keys.key');
}

const keptForHours = 24;

/** Deletes the outcomes that have been kept for 24 hours. */
export async function deleteOldOutcomes(db: Database, now: Date): Promise<void> {
  const oldest = new Date(now.getTime() - keptForHours * 60 * 60 * 1000).toISOString();
  await db.batch([db.delete(idempotencyKeys).where(lt(idempotencyKeys.createdAt, oldest))]);
}
