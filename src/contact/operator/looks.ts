import { and, desc, eq, sql } from 'drizzle-orm';
import { deskLooks } from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';

export type Look = typeof deskLooks.$inferSelect;

/** Who looked at a contact on the deployed desk. Newest first. */
export function listLooks(db: Database, uuid: string, limit = 10_000): Promise<Look[]> {
  return db.select().from(deskLooks).where(isOf(uuid)).orderBy(desc(deskLooks.id)).limit(limit);
}

const isOf = (uuid: string) => and(eq(deskLooks.subject, 'contact'), eq(deskLooks.key, uuid));

/** The last look of each person. Newest first. */
export function listLastLooks(db: Database, uuid: string, limit: number) {
  const lookedAt = sql<string>`max(${deskLooks.lookedAt})`;
  const looks = db.select({ lookedBy: deskLooks.lookedBy, lookedAt }).from(deskLooks);
  return looks.where(isOf(uuid)).groupBy(deskLooks.lookedBy).orderBy(desc(lookedAt)).limit(limit);
}
