import { and } from 'drizzle-orm';
import type { AuctionStatus } from '../../../../drizzle/schema.ts';
import { RegistryError, throwProblems } from '../../../base/error.ts';
import type { Operation } from '../../../change/origin.ts';
import { type Change, checkExpected, write } from '../../../change/write.ts';
import { isUnobstructed } from '../obstacles.ts';
import { type Auction, getAuctionOf, holdingStatuses } from '../read.ts';
import { auctionUpdate, endedByRegistration, registrationCodeFor } from '../report.ts';
import { findAuctionObstacles } from './obstacles.ts';

/**
 * Ends a paid auction whose registration code was used, and returns it. Throws `invalid` for another status or a wrong
 * code, and `not_found`.
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
 * Corrects a wrong report, and starts no other auction. The history keeps the reason. An auction that becomes
 * `payment_received` gets a new registration code. Throws `not_found`, `taken` if the auction would hold a name that is
 * a domain, blocked, or held by another auction, and `changed_meanwhile` for an unexpected version.
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
    // Does not judge these again: an auction may have started in spite of them, and keeps its name.
    const kept = holds(before.status) ? (['registered', 'blocked'] as const) : [];
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
