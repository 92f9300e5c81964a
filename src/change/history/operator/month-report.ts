import { and, asc, gt, gte, lt, sql } from 'drizzle-orm';
import { history, registrars } from '../../../../drizzle/schema.ts';
import type { Database } from '../../../base/database/open.ts';
import { findIdBefore } from './search.ts';

/**
 * Reports on a month, `YYYY-MM`, in UTC: the contacts that each registrar has now, the changes of the month, and the
 * statuses that auctions reached in it.
 */
export async function reportMonth(db: Database, month: string) {
  const start = new Date(`${month}-01T00:00:00Z`);
  const end = new Date(start);
  end.setUTCMonth(end.getUTCMonth() + 1);
  const ofMonth = and(
    gt(history.id, await findIdBefore(db, start)),
    gte(history.occurredAt, start.toISOString()),
    lt(history.occurredAt, end.toISOString()),
  );
  const count = sql<number>`count(*)`.as('count');
  const outcome = sql<string>`${history.changes} ->> '$.status.to'`;
  const [contacts, changes, auctions] = await db.batch([
    db
      .select({ registrar: registrars.code, count: registrars.contactCount })
      .from(registrars)
      .orderBy(asc(registrars.code)),
    db
      .select({ subject: history.subject, action: history.action, count })
      .from(history)
      .where(ofMonth)
      .groupBy(history.subject, history.action)
      .orderBy(asc(history.subject), asc(history.action)),
    db
      .select({ outcome: outcome.as('outcome'), count })
      .from(history)
      .where(and(ofMonth, sql`${history.subject} = 'auction'`, sql`${outcome} is not null`))
      .groupBy(outcome)
      .orderBy(asc(outcome)),
  ]);
  return { contacts, changes, auctions };
}
