import { and, lt, type SQL, sql } from 'drizzle-orm';
import { idempotencyKeys } from '../../drizzle/schema.ts';
import { insertRows } from '../base/database/insert-rows.ts';
import type { Database } from '../base/database/open.ts';
import { mentions } from '../base/database/violations.ts';
import { RegistryError } from '../base/error.ts';

/** `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header), and a digest of its request. */
export interface IdempotencyKey {
  value: string;
  /** SHA-256 of method, path and body, in hexadecimal. */
  requestDigest: string;
}

type KeptQuery = ReturnType<typeof selectOutcome>;
/** Returns the query for the outcome of the request's key, by its holder. */
export type KeptFor = (keyHolder: SQL | string) => KeptQuery;
export type KeptOutcome = Awaited<KeptQuery>[number];

/** Finds nothing without a key. A holder in SQL is evaluated in the same batch. */
export function selectOutcome(
  db: Database,
  keyHolder: SQL | string,
  key: IdempotencyKey | undefined,
) {
  const { caller, requestDigest, outcome } = idempotencyKeys;
  return db
    .select({ requestDigest, outcome })
    .from(idempotencyKeys)
    .where(and(sql`${caller} = ${keyHolder}`, sql`${idempotencyKeys.key} = ${key?.value ?? null}`));
}

/** Throws `key_reused` if the key was used with another request. */
export function outcomeOf<Outcome>(
  [kept]: readonly KeptOutcome[] = [],
  key: IdempotencyKey | undefined,
): { outcome: Outcome } | undefined {
  if (!kept || !key) return undefined;
  if (kept.requestDigest !== key.requestDigest) {
    throw new RegistryError('key_reused', 'Idempotency key was used with another request');
  }
  return { outcome: JSON.parse(kept.outcome) };
}

/** Returns the statement that keeps the outcome if the condition holds; none without a key. */
export function keepOutcome(
  db: Database,
  {
    keyHolder,
    at,
    key,
  }: { keyHolder: string | undefined; at: Date; key?: IdempotencyKey | undefined },
  outcome: unknown,
  condition: SQL,
) {
  if (!key || keyHolder === undefined) return [];
  const kept = {
    caller: keyHolder,
    key: key.value,
    requestDigest: key.requestDigest,
    createdAt: at.toISOString(),
    outcome: JSON.stringify(outcome),
  };
  return [insertRows(db, idempotencyKeys, kept, sql`where ${condition}`)];
}

/** Another request with the same key came first. */
export function isKeyTaken(error: unknown): boolean {
  return mentions(error, 'UNIQUE constraint failed: idempotency_keys.');
}

const keptForHours = 24;

export async function deleteOldOutcomes(db: Database, now: Date): Promise<void> {
  const oldest = new Date(now.getTime() - keptForHours * 60 * 60 * 1000).toISOString();
  await db.batch([db.delete(idempotencyKeys).where(lt(idempotencyKeys.createdAt, oldest))]);
}
