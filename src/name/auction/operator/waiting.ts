import { and, asc, eq, inArray, isNotNull, not, type SQL, sql } from 'drizzle-orm';
import {
  type AuctionStatus,
  auctions,
  disputes,
  domains,
  history,
  retainedDomains,
} from '../../../../drizzle/schema.ts';
import type { Database } from '../../../base/database/open.ts';
import { dayOf } from '../../../base/time/day.ts';
import { type Auction, hasPassed, isHolding } from '../read.ts';

const isRegistered = sql`exists (select 1 from ${domains} where ${domains.name} = ${auctions.name})`;

/** Lists paid auctions of names that were not registered by their deadline. */
export async function listOverdueAuctions(db: Database, now: Date): Promise<Auction[]> {
  const isPaid = and(isHolding, eq(auctions.status, 'payment_received'));
  const paid = await db
    .select()
    .from(auctions)
    .where(and(isPaid, isNotNull(auctions.registrationDeadline), not(isRegistered)));
  return paid.filter(({ registrationDeadline }) => hasPassed(registrationDeadline!, now));
}

/** Lists auctions that hold a registered name: somebody has recorded the domain as it is elsewhere. */
export async function listAuctionsOfDomains(db: Database): Promise<Auction[]> {
  const isDomain = inArray(auctions.name, db.select({ name: domains.name }).from(domains));
  return db.select().from(auctions).where(and(isHolding, isDomain)).orderBy(asc(auctions.id));
}

/**
 * Lists the newest auctions of names that are not registered, if they ended with one of these statuses, and the name is
 * blocked, was blocked at the end or later, was disputed on that day, or is disputed today.
 */
export async function listAuctionsNotRestarted(
  db: Database,
  statuses: readonly AuctionStatus[],
  now: Date,
): Promise<Auction[]> {
  const { subject, subjectKey, subjectUuid, occurredAt, changes } = history;
  const statusSince = sql`
    select max(${occurredAt}) from ${history}
    where ${subject} = 'auction'
      and ${subjectKey} = ${auctions.name}
      and ${subjectUuid} = ${auctions.uuid}
      and ${changes} ->> '$.status.to' is not null`;
  // Later reports may have changed the row.
  const endedAt = sql`ifnull((${statusSince}), ${auctions.updatedAt})`;
  const isDisputedOn = (day: SQL | string) => sql`first_day <= ${day} and last_day >= ${day}`;
  const hindered = sql`
    select name from ${retainedDomains} where status = 'blocked'
    union select ${subjectKey} from ${history}
      where ${subject} = 'retained_domain'
        and ${subjectKey} = ${auctions.name}
        and ${occurredAt} >= ${endedAt}
        and ${changes} ->> '$.status.from' = 'blocked'
    union select ${disputes.name} from ${disputes}
      join ${auctions} on ${auctions.name} = ${disputes.name}
      where ${isDisputedOn(sql`substr(${endedAt}, 1, 10)`)}
        or (${isDisputedOn(dayOf(now))} and closed_at is null)`;
  return db
    .select()
    .from(auctions)
    .where(
      and(
        inArray(auctions.name, sql`(${hindered})`),
        inArray(auctions.status, statuses),
        sql`not exists (
            select 1 from ${auctions} as newer
            where newer.name = ${auctions.name} and newer.id > ${auctions.id})
          and not ${isRegistered}`,
      ),
    );
}
