import { and, desc, eq, inArray, min } from 'drizzle-orm';
import { deskLooks } from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';

/** Who looked at these contacts on the deployed desk. Newest first. */
export function listLooks(db: Database, uuids: readonly string[], limit: number) {
  const isOf = and(eq(deskLooks.subject, 'contact'), inArray(deskLooks.key, [...uuids]));
  return db.select().from(deskLooks).where(isOf).orderBy(desc(deskLooks.id)).limit(limit);
}

/** The time of the oldest look at anything that is still kept, or null. */
export async function findOldestLook(db: Database): Promise<string | null> {
  const [row] = await db.select({ oldest: min(deskLooks.lookedAt) }).from(deskLooks);
  return row!.oldest;
}
