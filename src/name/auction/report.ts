import { and, eq, sql } from 'drizzle-orm';
import { type AuctionStatus, auctions } from '../../../drizzle/schema.ts';
import { randomHex } from '../../base/bytes/digest.ts';
import { difference } from '../../change/history/changes.ts';
import type { Operation } from '../../change/origin.ts';
import { appendStatements, type Change, changeOf, write } from '../../change/write.ts';
import { isUnobstructed } from './obstacles.ts';
import {
  type Auction,
  auctionSubject,
  getAuction,
  isAuctionUnchanged,
  registrationCodeOf,
} from './read.ts';
import { auctionStart, newAuction } from './start.ts';

/** Only the registry sets `started` and `domain_registered`. */
export const reportableStatuses = [
  'awaiting_payment',
  'no_bids',
  'payment_received',
  'payment_not_received',
  'domain_not_registered',
] as const satisfies AuctionStatus[];

/** Undefined fields stay as they are. */
export interface AuctionReport {
  status?: (typeof reportableStatuses)[number] | undefined;
  /** A day or an instant; null clears it. */
  registrationDeadline?: string | null | undefined;
  /** Null clears it. */
  platform?: string | null | undefined;
}

/**
 * Repeating a report has no further effect, and an auction that ended with a registration stays as it is. A status
 * among `restartStatuses` puts the name up again, unless it is registered, blocked or disputed, another auction holds
 * it, or a newer one has sold it. Costs two round trips. Throws `not_found`.
 */
export async function updateAuction(
  operation: Operation,
  uuid: string,
  { status, registrationDeadline, platform }: AuctionReport,
  restartStatuses: readonly AuctionStatus[],
): Promise<Auction> {
  const { db, origin } = operation;
  const { outcome } = await write(db, origin.request, {
    look: () => getAuction(db, uuid),
    judge(auction) {
      if (auction.status === endedByRegistration.status)
        return auctionUpdate(operation, auction, {});
      const values: AuctionValues = {
        registrationDeadline,
        platform,
        ...(status && { status, registrationCode: registrationCodeFor(auction, status) }),
      };
      const change = auctionUpdate(operation, auction, values);
      if (!status || status === auction.status || !restartStatuses.includes(status)) return change;
      return appendStatements(change, restart(operation, change));
    },
  });
  return outcome;
}

export const endedByRegistration = { status: 'domain_registered', registrationCode: null } as const;

type AuctionValues = Partial<
  Pick<Auction, 'status' | 'registrationCode'> &
    Pick<AuctionReport, 'registrationDeadline' | 'platform'>
>;

/**
 * Returns 32 random hexadecimal digits when an auction becomes paid. A paid auction keeps its code; in every other
 * status it is null.
 */
export function registrationCodeFor(auction: Auction, status: AuctionStatus): string | null {
  if (status !== 'payment_received') return null;
  return registrationCodeOf(auction) ?? randomHex(16);
}

export function auctionUpdate(
  operation: Operation,
  auction: Auction,
  {
    registrationDeadline = auction.registrationDeadline,
    platform = auction.platform,
    ...values
  }: AuctionValues,
): Change<Auction> {
  const { db, origin } = operation;
  const newValues = { ...values, registrationDeadline, platform };
  const changes = difference(auction, newValues);
  const update = {
    ...changeOf(operation, auctionSubject(auction)),
    action: 'update',
    changes,
  } as const;
  if (Object.keys(changes).length === 0) return { ...update, outcome: auction };
  const row = {
    ...newValues,
    updatedAt: origin.request.at.toISOString(),
    version: auction.version + 1,
  };
  return {
    ...update,
    onlyIf: isAuctionUnchanged(auction),
    statements: [
      db
        .update(auctions)
        .set(row)
        .where(and(eq(auctions.id, auction.id), update.isWritten)),
    ],
    outcome: { ...auction, ...row },
  };
}

/** Starts the name's next auction if the report was written and nothing but a reservation prevents it. */
function restart(operation: Operation, { outcome: ended, isWritten }: Change<Auction>) {
  const { at } = operation.origin.request;
  const { id, name, punycode, platform, uuid } = ended;
  const next = newAuction({ name, punycode }, platform, at);
  const isFree = isUnobstructed([ended], ['reserved'], at, uuid);
  const soldSince = sql`
    select 1 from ${auctions}
    where ${auctions.name} = ${name}
      and ${auctions.id} > ${id}
      and ${auctions.status} = ${endedByRegistration.status}`;
  const mayStart = sql`${isWritten} and ${isFree} and not exists (${soldSince})`;
  return auctionStart(operation, next, mayStart);
}
