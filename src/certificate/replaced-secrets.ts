import { lte } from 'drizzle-orm';
import { apiUsers, systems } from '../../drizzle/schema.ts';
import type { Database } from '../database/open.ts';

/** Deletes the replaced secrets, passwords and keys that have ended. */
export async function forgetReplaced(db: Database, now: Date): Promise<void> {
  const at = now.toISOString();
  await db.batch([
    db
      .update(apiUsers)
      .set({
        passwordHash: null,
        previousSecretDigest: null,
        previousSecretChangedAt: null,
        previousSecretValidUntil: null,
      })
      .where(lte(apiUsers.previousSecretValidUntil, at)),
    db
      .update(systems)
      .set({ previousKeyDigest: null, previousKeyValidUntil: null })
      .where(lte(systems.previousKeyValidUntil, at)),
  ]);
}
