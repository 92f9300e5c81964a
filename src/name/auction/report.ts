import { and, eq, type SQL, sql } from 'drizzle-orm';
import { type AuctionStatus, auctions } from '../../../drizzle/schema.ts';
import { randomHex } from '../../base/bytes/digest.ts';
import { RegistryError, throwProblems } from '../../base/error.ts';
import { difference } from '../../change/history/changes.ts';
import type { Operation } from '../../change/origin.ts';
import { type Change, checkExpected, followedBy, write } from '../../change/write.ts';
import { findAuctionObstacles, isUnobstructed } from './obstacles.ts';
import {
  type Auction,
  auctionSubject,
  getAuction,
  getAuctionOf,
  holdingStatuses,
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
 * Repeating a report has no further effect, and an auction that has ended with a registration stays as it is. One
 * that becomes `payment_received` gets a registration code. A status among `restartStatuses` puts the name up again,
 * unless it is registered, blocked or disputed, another auction holds it, or a newer one has sold it. Two round trips.
 * Throws `not_found`.
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
      return followedBy(change, (isWritten) => restart(operation, change.outcome, isWritten));
    },
  });
  return outcome;
}

export const endedByRegistration = { status: 'domain_registered', registrationCode: null } as const;

/**
 * Ends a paid auction whose registration code was used, and returns it. A dry run checks and writes nothing. Throws
 * `invalid` for another status or a wrong code, and `not_found`.
 */
export async function registerAuction(
  operation: Operation,
  uuidOrName: string,
  registrationCode: string,
): Promise<Auction> {
  const { db, origin } = operation;
  const look = () => getAuctionOf(db, uuidOrName);
  const judge = (auction: Auction) => {
    checkRegistration(auction, registrationCode);
    return auctionUpdate(operation, auction, endedByRegistration);
  };
  return (await write(db, origin.request, { look, judge }, operation)).outcome;
}

/**
 * Corrects a wrong report: one that becomes `payment_received` gets a new registration code, the history keeps the
 * reason, and no other auction starts. Throws `not_found`, `taken` if it would hold a name that is a domain, blocked,
 * or held by another auction, and `changed_meanwhile` for another version than the expected one.
 */
export async function correctAuction(
  operation: Operation,
  {
    auction: uuidOrName,
    status,
    reason,
  }: { auction: string; status: AuctionStatus; reason: string },
): Promise<{ before: Auction; after: Auction }> {
  const { db, origin } = operation;
  const { at } = origin.request;
  const holds = (status: AuctionStatus) => holdingStatuses.some((holding) => holding === status);
  const look = async () => {
    const before = await getAuctionOf(db, uuidOrName);
    const { uuid } = before;
    // Auctions can be started in spite of some, and one that holds the name keeps it.
    const kept = holds(before.status) ? (['domain', 'blocked'] as const) : [];
    const ignored = ['reserved', 'disputed', ...kept] as const;
    const obstacles = await findAuctionObstacles(operation, [before], ignored, uuid);
    return { before, obstacles, isFree: isUnobstructed([before], ignored, at, uuid) };
  };
  const judge = ({ before, obstacles, isFree }: Awaited<ReturnType<typeof look>>) => {
    checkExpected(origin.request, `${before.uuid} ${before.version}`);
    if (holds(status) && status !== before.status) throwProblems(obstacles);
    const registrationCode = registrationCodeFor(before, status);
    const values = before.status === status ? {} : { status, registrationCode };
    const change = auctionUpdate(operation, before, values);
    const { changes } = change;
    return {
      ...change,
      ...(holds(status) && { onlyIf: and(change.onlyIf, isFree) }),
      changes: change.statements ? { ...changes, reason: { from: null, to: reason } } : changes,
      outcome: { before, after: change.outcome },
    } satisfies Change<{ before: Auction; after: Auction }>;
  };
  return (await write(db, origin.request, { look, judge }, operation)).outcome;
}

function checkRegistration(auction: Auction, registrationCode: string): void {
  const name = JSON.stringify(auction.name);
  if (auction.status !== 'payment_received') {
    const message = `the auction of ${name} is ${auction.status}; only a payment_received one can end with a registration`;
    throw new RegistryError('invalid', message, 'status');
  }
  if (registrationCode !== auction.registrationCode) {
    const message = `this is not the registration code of the auction of ${name}`;
    throw new RegistryError('invalid', message, 'registration_code');
  }
}

type AuctionValues = Partial<
  Pick<Auction, 'status' | 'registrationCode'> &
    Pick<AuctionReport, 'registrationDeadline' | 'platform'>
>;

/** A paid auction keeps its code; 32 hexadecimal digits are drawn for a new one. Null in every other status. */
function registrationCodeFor(auction: Auction, status: AuctionStatus): string | null {
  if (status !== 'payment_received') return null;
  return registrationCodeOf(auction) ?? randomHex(16);
}

/** The outcome is the updated auction. */
export function auctionUpdate(
  { db, origin }: Operation,
  auction: Auction,
  {
    registrationDeadline = auction.registrationDeadline,
    platform = auction.platform,
    ...values
  }: AuctionValues,
): Change<Auction> {
  const wanted = { ...values, registrationDeadline, platform };
  const changes = difference(auction, wanted);
  const update = {
    by: origin.actor,
    subject: auctionSubject(auction),
    action: 'update',
    changes,
  } as const;
  if (Object.keys(changes).length === 0) return { ...update, outcome: auction };
  const row = {
    ...wanted,
    updatedAt: origin.request.at.toISOString(),
    version: auction.version + 1,
  };
  return {
    ...update,
    onlyIf: isAuctionUnchanged(auction),
    statements: (isWritten) => [
      db
        .update(auctions)
        .set(row)
        .where(and(eq(auctions.id, auction.id), isWritten)),
    ],
    outcome: { ...auction, ...row },
  };
}

/** Starts the name's next auction if the report was written and no more than a reservation is in the way. */
function restart(operation: Operation, ended: Auction, isWritten: SQL) {
  const { origin } = operation;
  const { id, name, punycode, platform, uuid } = ended;
  const next = newAuction({ name, punycode }, platform, origin.request.at);
  const isFree = isUnobstructed([ended], ['reserved'], origin.request.at, uuid);
  const soldSince = sql`
    select 1 from ${auctions}
    where ${auctions.name} = ${name}
      and ${auctions.id} > ${id}
      and ${auctions.status} = ${endedByRegistration.status}`;
  const isWanted = sql`${isWritten} and ${isFree} and not exists (${soldSince})`;
  return auctionStart(operation, next, isWanted);
}
