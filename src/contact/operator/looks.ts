import { and, desc, eq } from 'drizzle-orm';
import { deskLooks } from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';

export type Look = typeof deskLooks.$inferSelect;

/** Who looked at a contact on the deployed desk. Newest first. */
export function listLooks(db: Database, uuid: string, limit = 10_000): Promise<Look[]> {
  const isOfContact = and(eq(deskLooks.subject, 'contact'), eq(deskLooks.key, uuid));
  return db.select().from(deskLooks).where(isOfContact).orderBy(desc(deskLooks.id)).limit(limit);
}
