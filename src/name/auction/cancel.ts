import { and, eq } from 'drizzle-orm';
import { auctions } from '../../../drizzle/schema.ts';
import { RegistryError } from '../../base/error.ts';
import { difference } from '../../change/history/changes.ts';
import type { Operation } from '../../change/origin.ts';
import { type Change, changeOf, checkExpected, write } from '../../change/write.ts';
import type { NameObstacle } from '../name.ts';
import { type Auction, auctionSubject, getAuctionOf, isAuctionUnchanged } from './read.ts';

const emptyValues = { status: null, platform: null, registrationDeadline: null, createdAt: null };

/**
 * Deletes an auction in progress, by its UUID or domain, and returns it. The history keeps the reason. Throws
 * `not_found`, `conflict` for an auction that is over, and `changed_meanwhile` for an unexpected version.
 */
export async function cancelAuction(
  operation: Operation,
  { auction: uuidOrName, reason }: { auction: string; reason: string },
): Promise<Auction> {
  const { db, origin } = operation;
  const look = () => getAuctionOf(db, uuidOrName);
  const judge = (auction: Auction): Change<Auction> => {
    checkExpected(origin.request, `${auction.uuid} ${auction.version}`);
    if (auction.status !== 'started') {
      const message = `the auction of ${JSON.stringify(auction.name)} is ${auction.status}; only one in progress can be cancelled`;
      const obstacle: NameObstacle = 'not_in_progress';
      throw new RegistryError([{ reason: 'conflict', message, field: 'status', obstacle }]);
    }
    const change = changeOf(operation, auctionSubject(auction));
    return {
      ...change,
      action: 'delete',
      // All that a reversal needs, except a registration code, which is secret.
      changes: { ...difference(auction, emptyValues), reason: { from: null, to: reason } },
      onlyIf: isAuctionUnchanged(auction),
      statements: [db.delete(auctions).where(and(eq(auctions.id, auction.id), change.isWritten))],
      outcome: auction,
    };
  };
  return (await write(db, origin.request, { look, judge }, operation)).outcome;
}
