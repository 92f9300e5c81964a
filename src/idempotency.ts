import { and, lt, type SQL, sql } from 'drizzle-orm';
import { idempotencyKeys } from '../drizzle/schema.ts';
import type { Database } from './database/open.ts';
import { isUniqueViolation } from './database/violations.ts';
import { RegistryError } from './error.ts';

/**
 * Writes that are done once however often they are sent: the answer is kept with the write, in one batch, and
 * given again to the same request with the same key (draft-ietf-httpapi-idempotency-key-header). A request that
 * was refused changed nothing, keeps nothing, and is judged anew.
 */
export interface Once<Outcome> {
  key: string;
  /** SHA-256 of method, path and body, in hexadecimal. */
  requestDigest: string;
  /** The body of the answer that tells this outcome. */
  answer: (outcome: Outcome) => string;
}

/** Thrown in place of doing a write again: the answer of the first time. */
export class AlreadyDone extends Error {
  readonly answer: string;

  constructor(answer: string) {
    super('the request was answered before');
    this.name = 'AlreadyDone';
    this.answer = answer;
  }
}

const keptForHours = 24;

/** The query for what a caller's key has kept; nothing where the request has no key. */
export function keptAnswer(db: Database, caller: SQL | string, once: Once<never> | undefined) {
  return db
    .select({ requestDigest: idempotencyKeys.requestDigest, body: idempotencyKeys.body })
    .from(idempotencyKeys)
    .where(
      and(
        sql`${idempotencyKeys.caller} = ${caller}`,
        sql`${idempotencyKeys.key} = ${once?.key ?? null}`,
      ),
    );
}

/** Throws `AlreadyDone` where this request has been answered, and `key_reused` where another one has. */
export function stopIfDone(
  [kept]: { requestDigest: string; body: string }[],
  once: Once<never> | undefined,
): void {
  if (!kept || !once) return;
  if (kept.requestDigest === once.requestDigest) throw new AlreadyDone(kept.body);
  throw new RegistryError('key_reused', 'Idempotency key was used with another request');
}

/**
 * The insert that keeps the answer, for the end of the batch that does the write: it keeps nothing where the
 * statement before it changed nothing, unless there was nothing to change.
 */
export function keepAnswer<Outcome>(
  db: Database,
  caller: string,
  { key, requestDigest, answer }: Once<Outcome>,
  outcome: Outcome,
  at: Date,
  condition: SQL = sql`changes() > 0`,
) {
  return db.insert(idempotencyKeys).select(sql`
    select ${caller}, ${key}, ${requestDigest}, ${answer(outcome)}, ${at.toISOString()}
    where ${condition}`);
}

/** Whether a write failed because the same key was kept by a request that was faster. */
export function isKeyTaken(error: unknown): boolean {
  return isUniqueViolation(error, 'idempotency_keys.caller, idempotency_keys.key');
}

/** Forgets the answers that were kept long enough. */
export async function forgetAnswers(db: Database, now: Date): Promise<void> {
  const oldest = new Date(now.getTime() - keptForHours * 60 * 60 * 1000).toISOString();
  await db.batch([db.delete(idempotencyKeys).where(lt(idempotencyKeys.createdAt, oldest))]);
}
