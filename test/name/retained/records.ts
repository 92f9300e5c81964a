import { and, asc, eq, type SQL } from 'drizzle-orm';
import { history } from '../../../drizzle/schema.ts';
import type { Database } from '../../../src/base/database/open.ts';
import type { RetainedDomain, RetainedStatus } from '../../../src/name/retained/list.ts';

export function named(name: string, status: RetainedStatus = 'reserved'): RetainedDomain {
  return { name, punycode: name, status, password: null, lastDay: null, comment: null };
}

/** The history of a test's retained domains, the oldest first. */
export function retainedHistory(db: Database, which: SQL) {
  return db
    .select({ key: history.subjectKey, action: history.action, changes: history.changes })
    .from(history)
    .where(and(eq(history.subject, 'retained_domain'), which))
    .orderBy(asc(history.id));
}
