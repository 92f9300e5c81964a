import { and, desc, eq, max, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { auctions, disputes, domains, history, retainedDomains } from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import { dayOf } from '../../base/time/day.ts';
import { type Auction, isHolding } from '../auction/read.ts';
import type { Dispute } from '../retained/dispute.ts';
import { isInForce } from '../retained/in-force.ts';

export interface NameState {
  /** In all of the history, when the name was looked at. */
  newestEntry: number;
  isRegistered: boolean;
  isBlocked: boolean;
  /** Only one that is in force. */
  dispute: Dispute | undefined;
  reservation: { password: string | null } | undefined;
  /** The newest auction that is in progress, awaits payment or is paid. */
  auction: Auction | undefined;
}

/** One round trip. */
export async function readNameState(db: Database, name: string, now: Date): Promise<NameState> {
  const [[newest], [domain], retained, [dispute], [auction]] = await db.batch([
    // First: what changes after this is newer.
    db.select({ id: max(history.id) }).from(history),
    db.select({ id: domains.id }).from(domains).where(eq(domains.name, name)),
    db.select().from(retainedDomains).where(eq(retainedDomains.name, name)),
    db
      .select()
      .from(disputes)
      .where(sql`name = ${name} and ${isInForce(dayOf(now))}`)
      .limit(1),
    db
      .select()
      .from(auctions)
      .where(and(eq(auctions.name, name), isHolding))
      .orderBy(desc(auctions.id))
      .limit(1),
  ]);
  return {
    newestEntry: newest?.id ?? 0,
    isRegistered: domain !== undefined,
    isBlocked: retained.some(({ status }) => status === 'blocked'),
    dispute,
    reservation: retained.find(({ status }) => status === 'reserved'),
    auction,
  };
}

/** Whether nothing that `NameState` shows of this name has been recorded since the entry. */
export function isNameUnchanged(name: string, since: SQLWrapper | number): SQL {
  return sql`not exists (
    select 1 from ${history} where ${history.subject} in ('domain', 'auction', 'retained_domain', 'dispute')
      and ${history.subjectKey} = ${name} and ${history.id} > ${since})`;
}
