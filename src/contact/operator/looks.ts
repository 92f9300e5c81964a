import { and, desc, eq, sql } from 'drizzle-orm';
import { deskLooks } from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';

/** Who looked at a contact on the deployed desk: the newest 10,000 looks, newest first. */
export function listLooks(db: Database, uuid: string) {
  return db.select().from(deskLooks).where(isOf(uuid)).orderBy(desc(deskLooks.id)).limit(10_000);
}

const isOf = (uuid: string) => and(eq(deskLooks.subject, 'contact'), eq(deskLooks.key, uuid));

/** The last look of each person. Newest first. */
export function listLastLooks(db: Database, uuid: string, limit: number) {
  const lookedAt = sql<string>`max(${deskLooks.lookedAt})`;
  const looks = db.select({ lookedBy: deskLooks.lookedBy, lookedAt }).from(deskLooks);
  return looks.where(isOf(uuid)).groupBy(deskLooks.lookedBy).orderBy(desc(lookedAt)).limit(limit);
}
